#pragma once

#include <algorithm>
#include <vector>

namespace tunebench {

/// The value in the middle (of an even number, the upper one); there must be one.
inline double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace tunebench
