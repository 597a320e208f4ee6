#pragma once

#include <ATen/core/Tensor.h>
#include <algorithm>

namespace tunebench {

/// Calls body(first, count) for some of `rows` rows at a time: for copies in a wider type, which would be the largest
/// that the step holds if they were made of all rows at once.
template <class Body> void forEachPiece(int64_t rows, Body body)
{
    constexpr int64_t most = 256;
    for (int64_t first = 0; first < rows; first += most)
        body(first, std::min(most, rows - first));
}

/// left right, [rows, inner] [inner, columns] -> [rows, columns], in left's type. The product is made in right's, which
/// may be wider: some rows at a time then.
at::Tensor product(const at::Tensor& left, const at::Tensor& right);

/// sum += scale * left right. Sum and left are of one type; the product is made in right's, which may be wider.
void addProduct(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right, double scale = 1);

/// sum += left right; the sum is made when it is undefined.
void addProductTo(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

} // namespace tunebench
