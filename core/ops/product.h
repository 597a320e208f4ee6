#pragma once

#include <ATen/core/Tensor.h>

namespace tunebench {

/// Rows that are copied in a wider type at a time: the copy of all of them would be the largest that the step holds.
constexpr int64_t widerRows = 256;

/// left right, [rows, inner] [inner, columns] -> [rows, columns], in left's type. The product is made in right's, which
/// may be wider: some rows at a time then.
at::Tensor product(const at::Tensor& left, const at::Tensor& right);

/// sum += scale * left right. Sum and left are of one type; the product is made in right's, which may be wider.
void addProduct(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right, double scale = 1);

/// sum += left right; the sum is made when it is undefined.
void addProductTo(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

} // namespace tunebench
