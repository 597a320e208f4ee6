#pragma once

#include <ATen/core/Tensor.h>

namespace tunebench {

/// The 256 values that 8-bit codes stand for, rising, in -1 to 1 or in 0 to 1, fp32 on the CPU (Dettmers et al., "8-bit
/// optimizers via block-wise quantization", 2022; bitsandbytes' create_dynamic_map).
at::Tensor dynamicMap(bool isSigned);

/// What lies half-way between one value and the next.
at::Tensor middles(const at::Tensor& values);

} // namespace tunebench
