#include "core/ops/parameter.h"

#include <ATen/ops/mm.h>

namespace tunebench {

void addProduct(const at::Tensor& gradient, const at::Tensor& left, const at::Tensor& right)
{
    if (left.scalar_type() == gradient.scalar_type())
        gradient.addmm_(left, right);
    else
        gradient.add_(at::mm(left, right).to(gradient.scalar_type()));
}

void addProductTo(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right)
{
    if (sum.defined())
        sum.addmm_(left, right);
    else
        sum = at::mm(left, right);
}

} // namespace tunebench
