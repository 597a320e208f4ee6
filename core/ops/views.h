#pragma once

#include <ATen/core/Tensor.h>

/// Views made without LibTorch's dispatcher, which takes up to three rounds for one: in a dry run, which computes
/// nothing, they took a third of the time.
namespace tunebench {

/// x.narrow(dimension, first, count).
at::Tensor narrowed(const at::Tensor& x, int64_t dimension, int64_t first, int64_t count);

/// x.transpose(first, second).
at::Tensor transposed(const at::Tensor& x, int64_t first = 0, int64_t second = 1);

} // namespace tunebench
