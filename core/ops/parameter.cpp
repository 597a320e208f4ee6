#include "core/ops/parameter.h"

#include "core/ops/pieces.h"
#include "core/ops/product.h"
#include "core/ops/views.h"

#include <ATen/ops/mm.h>

namespace tunebench {

at::Tensor Parameter::heldAs(at::ScalarType type) const
{
    if (packed)
        return unpacked(*packed, type);
    return value.scalar_type() == type ? value : value.to(type); // `to` asks the dispatcher before it returns the same
}

at::ScalarType Parameter::productType(const at::Tensor& x) const
{
    // For a token or two (an answer is made token by token) a wider copy of the matrix would take longer than a slow
    // product.
    constexpr int64_t few = 8;
    return products && x.size(0) > few ? *products : x.scalar_type();
}

void Parameter::addGradient(const at::Tensor& left, const at::Tensor& right) const
{
    const auto type = productType(right);
    if (type != right.scalar_type())
        forEachPiece(left, widerRows, [&](int64_t first, int64_t count) {
            gradient.addmm_(
                transposed(narrowed(left, 0, first, count).to(type)), narrowed(right, 0, first, count).to(type));
        });
    else if (type == gradient.scalar_type())
        gradient.addmm_(transposed(left), right);
    else
        gradient.add_(at::mm(transposed(left), right).to(gradient.scalar_type()));
}

} // namespace tunebench
