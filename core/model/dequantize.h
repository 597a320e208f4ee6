#pragma once

#include "core/model/tensor_info.h"

#include <cstddef>
#include <span>

namespace tunebench {

/// True for the types that hold real numbers: F32, F16, BF16 and the block formats.
bool holdsReals(StorageType type);

/// Whole blocks as float32, exactly as ggml's reference does it (ggml-quants.c, dequantize_row_*): products and sums
/// round one by one. `type` holds reals, `out` has the number of elements that `blocks` holds.
void dequantize(StorageType type, std::span<const std::byte> blocks, std::span<float> out);

} // namespace tunebench
