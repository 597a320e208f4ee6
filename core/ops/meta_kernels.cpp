// Shapes and temporaries of the ATen operators that the step uses and that have no kernel for the meta device, so that
// the step itself runs dry.

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace tunebench {
namespace {

at::Tensor indexSelect(const at::Tensor& self, int64_t dimension, const at::Tensor& index)
{
    auto sizes = self.sizes().vec();
    sizes[static_cast<size_t>(dimension)] = index.numel();
    return at::empty(sizes, self.options());
}

/// Works in place and takes no memory.
void fusedAdamW(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList, double,
    double, double, double, double, bool, bool, const std::optional<at::Tensor>&, const std::optional<at::Tensor>&)
{
}

/// Works in place and takes no memory.
void fusedSgd(at::TensorList, at::TensorList, at::TensorList, double, double, double, double, bool, bool, bool,
    const std::optional<at::Tensor>&, const std::optional<at::Tensor>&)
{
}

} // namespace
} // namespace tunebench

TORCH_LIBRARY_IMPL(aten, Meta, library)
{
    library.impl("index_select", tunebench::indexSelect);
    library.impl("_fused_adamw_", tunebench::fusedAdamW);
    library.impl("_fused_sgd_", tunebench::fusedSgd);
}
