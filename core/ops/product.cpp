#include "core/ops/product.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/pieces.h"
#include "core/ops/views.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

namespace tunebench {

at::Tensor product(const at::Tensor& left, const at::Tensor& right)
{
    if (left.scalar_type() == right.scalar_type())
        return at::mm(left, right);
    auto result = at::empty({ left.size(0), right.size(1) }, left.options());
    const CategoryScope scope(MemoryCategory::temporary);
    forEachPiece(left, widerRows, [&](int64_t first, int64_t count) {
        narrowed(result, 0, first, count).copy_(at::mm(narrowed(left, 0, first, count).to(right.scalar_type()), right));
    });
    return result;
}

void addProduct(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right, double scale)
{
    const auto type = right.scalar_type();
    if (left.scalar_type() == type) {
        sum.addmm_(left, right, 1, scale);
        return;
    }
    const CategoryScope scope(MemoryCategory::temporary);
    forEachPiece(left, widerRows, [&](int64_t first, int64_t count) {
        const auto piece = narrowed(sum, 0, first, count);
        piece.copy_(piece.to(type).addmm_(narrowed(left, 0, first, count).to(type), right, 1, scale));
    });
}

void addProductTo(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right)
{
    if (sum.defined())
        addProduct(sum, left, right);
    else
        sum = product(left, right);
}

} // namespace tunebench
