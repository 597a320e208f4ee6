#include "core/ops/views.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/as_strided_native.h>
#include <utility>

namespace tunebench {

at::Tensor narrowed(const at::Tensor& x, int64_t dimension, int64_t first, int64_t count)
{
    const int64_t d = at::maybe_wrap_dim(dimension, x.dim());
    TORCH_INTERNAL_ASSERT(first >= 0 && count >= 0 && first <= x.size(d) - count);
    at::DimVector sizes(x.sizes());
    sizes[d] = count;
    return at::native::as_strided_tensorimpl(x, sizes, x.strides(), x.storage_offset() + first * x.stride(d));
}

at::Tensor transposed(const at::Tensor& x, int64_t first, int64_t second)
{
    const int64_t a = at::maybe_wrap_dim(first, x.dim()), b = at::maybe_wrap_dim(second, x.dim());
    at::DimVector sizes(x.sizes()), strides(x.strides());
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
    return at::native::as_strided_tensorimpl(x, sizes, strides, x.storage_offset());
}

} // namespace tunebench
