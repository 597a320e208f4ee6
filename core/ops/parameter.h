#pragma once

#include <ATen/core/Tensor.h>
#include <string>

namespace tunebench {

/// A tensor of the model. Trained ones are fp32 and have a gradient (fp32, the same shape) that backward passes add to.
struct Parameter {
    std::string name; ///< as transformers calls it
    at::Tensor value;
    at::Tensor gradient; ///< undefined when frozen

    bool exists() const { return value.defined(); }
    bool trained() const { return gradient.defined(); }
    /// The value in the type of `like`.
    at::Tensor heldAs(const at::Tensor& like) const { return value.to(like.scalar_type()); }
};

/// gradient += left right; the product is made in the operands' type.
void addProduct(const at::Tensor& gradient, const at::Tensor& left, const at::Tensor& right);

/// sum += left right; the sum is made, in the operands' type, when it is undefined.
void addProductTo(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

} // namespace tunebench
