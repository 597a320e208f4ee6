#pragma once

#include <ATen/core/Tensor.h>
#include <algorithm>

namespace tunebench {

/// Rows that are copied in a wider type at a time: the copy of all of them would be the largest that the step holds.
constexpr int64_t pieceRows = 256;

/// Calls body(first, count) for the rows of x, pieceRows of them at a time. In a dry run whole pieces are alike, and one
/// stands for all: they belong to one RecordedOperation, whose tensors say how much there is to do.
template <class Body> void forEachPiece(const at::Tensor& x, Body body)
{
    const int64_t rows = x.size(0), whole = rows / pieceRows * pieceRows;
    for (int64_t first = 0; first < (x.is_meta() ? std::min(pieceRows, whole) : whole); first += pieceRows)
        body(first, pieceRows);
    if (whole < rows)
        body(whole, rows - whole);
}

/// left right, [rows, inner] [inner, columns] -> [rows, columns], in left's type. The product is made in right's, which
/// may be wider: some rows at a time then.
at::Tensor product(const at::Tensor& left, const at::Tensor& right);

/// sum += scale * left right. Sum and left are of one type; the product is made in right's, which may be wider.
void addProduct(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right, double scale = 1);

/// sum += left^T right, of [rows, left's columns] and [rows, right's columns], in sum's type, which is
/// wider than theirs: some rows at a time.
void addTransposedProduct(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

/// sum += left right; the sum is made when it is undefined.
void addProductTo(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

} // namespace tunebench
