#pragma once

#include "core/ops/dropout.h"
#include "core/ops/parameter.h"

namespace tunebench {

/// A low-rank update of a frozen weight: scale * B A (Hu et al., 2021). With a magnitude it is DoRA (Liu et al., 2024):
/// the rows of W + scale * B A are brought to these lengths, and their own lengths count as constants in the backward
/// pass, as in PEFT.
struct LoraPair {
    Parameter a; ///< [rank, in]
    Parameter b; ///< [out, rank]
    Parameter magnitude {}; ///< [out]; may not exist
    double scale = 1;
    Dropout dropout {}; ///< of the update's input; with DoRA also of the base product's part that is rescaled
};

/// The length of each row of W + scale * B A, fp32: [out].
at::Tensor updatedRowLengths(const LoraPair& pair, const Parameter& weight);

/// Turns y = x W^T [tokens, out] into what the updated weight makes of x, in place.
void addLoraProduct(const LoraPair& pair, const Parameter& weight, const at::Tensor& x, const at::Tensor& y);

/// Adds to the pair's gradients; `x` is the input of the forward pass.
void addLoraGradients(
    const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient, const at::Tensor& x);

/// The same, and adds the gradient of x through base and update to `inputGradient` [tokens, in] (made when undefined).
void loraBackward(const LoraPair& pair, const Parameter& weight, const at::Tensor& outputGradient, const at::Tensor& x,
    at::Tensor& inputGradient);

} // namespace tunebench
