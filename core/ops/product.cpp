#include "core/ops/product.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/recorded_operation.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

namespace tunebench {
namespace {

/// x.narrow(0, first, count) in one step instead of three: in a dry run views take most of the time.
at::Tensor rowsOf(const at::Tensor& x, int64_t first, int64_t count)
{
    return x.as_strided({ count, x.size(1) }, x.strides(), x.storage_offset() + first * x.stride(0));
}

/// forEachPiece where only a processor makes them: the order in which memory comes and goes is nothing to it, and in a
/// dry run the longest piece stands for the last one too.
template <class Body> void forEachProcessorPiece(const at::Tensor& x, Body body)
{
    if (x.is_meta())
        body(0, std::min(pieceRows, x.size(0)));
    else
        forEachPiece(x, body);
}

} // namespace

at::Tensor product(const at::Tensor& left, const at::Tensor& right)
{
    if (left.scalar_type() == right.scalar_type())
        return at::mm(left, right);
    static const c10::FunctionSchema schema("tunebench::wider_mm", "", {}, {});
    const RecordedOperation recorded(schema, { left, right });
    auto result = at::empty({ left.size(0), right.size(1) }, left.options());
    const CategoryScope scope(MemoryCategory::temporary);
    forEachProcessorPiece(left, [&](int64_t first, int64_t count) {
        rowsOf(result, first, count).copy_(at::mm(rowsOf(left, first, count).to(right.scalar_type()), right));
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
    static const c10::FunctionSchema schema("tunebench::wider_addmm_", "", {}, {});
    const RecordedOperation recorded(schema, { left, right });
    const CategoryScope scope(MemoryCategory::temporary);
    forEachProcessorPiece(left, [&](int64_t first, int64_t count) {
        const auto piece = rowsOf(sum, first, count);
        piece.copy_(piece.to(type).addmm_(rowsOf(left, first, count).to(type), right, 1, scale));
    });
}

void addTransposedProduct(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right)
{
    static const c10::FunctionSchema schema("tunebench::wider_addmm_transposed_", "", {}, {});
    const RecordedOperation recorded(schema, { left.t(), right });
    forEachProcessorPiece(left, [&](int64_t first, int64_t count) {
        const auto type = sum.scalar_type();
        sum.addmm_(rowsOf(left, first, count).to(type).t(), rowsOf(right, first, count).to(type));
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
