#pragma once

#include <ATen/core/Tensor.h>

namespace tunebench {

/// x.narrow(dimension, first, count), a view, made without LibTorch's dispatcher, which takes three rounds for it: in a
/// dry run, which computes nothing, such views took a quarter of the time.
at::Tensor narrowed(const at::Tensor& x, int64_t dimension, int64_t first, int64_t count);

} // namespace tunebench
