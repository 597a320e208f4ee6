#include "core/ops/narrowed.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/as_strided_native.h>

namespace tunebench {

at::Tensor narrowed(const at::Tensor& x, int64_t dimension, int64_t first, int64_t count)
{
    const int64_t d = at::maybe_wrap_dim(dimension, x.dim());
    TORCH_INTERNAL_ASSERT(first >= 0 && count >= 0 && first <= x.size(d) - count);
    at::DimVector sizes(x.sizes());
    sizes[d] = count;
    return at::native::as_strided_tensorimpl(x, sizes, x.strides(), x.storage_offset() + first * x.stride(d));
}

} // namespace tunebench
