#include "core/model/weight_source.h"

#include <algorithm>

namespace tunebench {

int64_t WeightSource::find(std::string_view name) const
{
    const auto all = tensors();
    const auto place = std::ranges::find(all, name, &TensorInfo::name);
    return place == all.end() ? -1 : place - all.begin();
}

} // namespace tunebench
