#include "core/memory/meta_kernels.h"

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

at::Tensor bucketize(const at::Tensor& self, const at::Tensor&, bool smallNumbers, bool)
{
    return at::empty(self.sizes(), self.options().dtype(smallNumbers ? at::kInt : at::kLong));
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

void registerMetaKernels()
{
    static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::Meta, __FILE__, __LINE__);
    static const bool registered = [] {
        library.impl("index_select", indexSelect);
        library.impl("bucketize.Tensor", bucketize);
        library.impl("_fused_adamw_", fusedAdamW);
        library.impl("_fused_sgd_", fusedSgd);
        return true;
    }();
    static_cast<void>(registered);
}

} // namespace tunebench
