#pragma once

#include "core/ops/lora_pair.h"

#include <optional>

namespace tunebench {

/// x W^T + bias, with an optional low-rank update. Weights may be held in another type than the products are made in;
/// they are then cast, one matrix at a time.
struct Linear {
    Parameter weight; ///< [out, in]
    Parameter bias; ///< [out]; may not exist
    std::optional<LoraPair> lora;

    /// True when a gradient of its own needs the input.
    bool trained() const { return lora.has_value() || weight.trained() || bias.trained(); }
};

/// x [tokens, in] -> [tokens, out], in x's type.
at::Tensor linear(const Linear& layer, const at::Tensor& x);

/// Adds to the gradients of what is trained in `layer`, and to `inputGradient` [tokens, in] (made when undefined).
/// `x` is the input of the forward pass; it may be undefined when nothing in the layer is trained.
void linearBackward(
    const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x, at::Tensor& inputGradient);

/// The gradients of what is trained in `layer` alone, for the lowest layer, whose input needs none.
void linearParameterGradients(const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x);

} // namespace tunebench
