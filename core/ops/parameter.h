#pragma once

#include "core/ops/nf4_weight.h"

#include <optional>
#include <string>

namespace tunebench {

/// A tensor of the model. Trained ones are fp32 and have a gradient (fp32, the same shape) that backward passes add to.
struct Parameter {
    std::string name; ///< as transformers calls it
    at::Tensor value; ///< undefined when held in 4 bits
    at::Tensor gradient; ///< undefined when frozen
    std::optional<Nf4Weight> packed {}; ///< instead of `value`; a frozen matrix

    bool exists() const { return value.defined() || packed.has_value(); }
    bool trained() const { return gradient.defined(); }
    at::IntArrayRef shape() const { return packed ? at::IntArrayRef(packed->shape) : value.sizes(); }
    /// The value in a type; of a matrix in 4 bits, a copy that lives as long as it is used.
    at::Tensor heldAs(at::ScalarType type) const { return packed ? unpacked(*packed, type) : value.to(type); }
    /// The value in the type of `like`.
    at::Tensor heldAs(const at::Tensor& like) const { return heldAs(like.scalar_type()); }
};

/// gradient += left right; the product is made in the operands' type.
void addProduct(const at::Tensor& gradient, const at::Tensor& left, const at::Tensor& right);

/// sum += left right; the sum is made, in the operands' type, when it is undefined.
void addProductTo(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

} // namespace tunebench
