#include "core/ops/dynamic_map.h"

#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/tensor.h>
#include <cmath>

namespace tunebench {

at::Tensor dynamicMap(bool isSigned)
{
    constexpr int exponents = 7;
    std::vector<at::Tensor> parts { at::tensor({ 0.0F, 1.0F }) };
    for (int i = 0; i < exponents; ++i) {
        const int64_t count = (int64_t { 1 } << (isSigned ? i : i + 1)) + 1;
        const auto borders = at::linspace(0.1, 1, count);
        const auto means = middles(borders);
        parts.push_back(at::mul(means, std::pow(10.0, i - (exponents - 1))));
        if (isSigned)
            parts.push_back(parts.back().neg());
    }
    return std::get<0>(at::sort(at::cat(parts)));
}

at::Tensor middles(const at::Tensor& values)
{
    return at::add(values.slice(0, 0, -1), values.slice(0, 1)).div_(2);
}

} // namespace tunebench
