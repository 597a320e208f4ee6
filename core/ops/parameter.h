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
    /// The type of products with it where it is not the other operand's: fp32 on a processor that multiplies no 16-bit
    /// numbers.
    std::optional<at::ScalarType> products {};

    bool exists() const { return value.defined() || packed.has_value(); }
    bool trained() const { return gradient.defined(); }
    at::IntArrayRef shape() const { return packed ? at::IntArrayRef(packed->shape) : value.sizes(); }
    /// The value in a type; of a matrix in 4 bits, a copy that lives as long as it is used.
    at::Tensor heldAs(at::ScalarType type) const;
    /// The value in the type of `like`.
    at::Tensor heldAs(const at::Tensor& like) const { return heldAs(like.scalar_type()); }

    /// The type that a product with x [tokens, ...] is made in.
    at::ScalarType productType(const at::Tensor& x) const;
    /// The value in that type.
    at::Tensor heldForProduct(const at::Tensor& x) const { return heldAs(productType(x)); }
    /// gradient += left^T right, of [tokens, rows] and [tokens, columns].
    void addGradient(const at::Tensor& left, const at::Tensor& right) const;
};

} // namespace tunebench
