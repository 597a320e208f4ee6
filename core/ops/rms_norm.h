#pragma once

#include "core/ops/parameter.h"

namespace tunebench {

// Rows are normalised along the last dimension; what is said of [tokens, hidden] holds for [tokens, heads, head size].

/// 1 / sqrt(mean(x^2) + epsilon) of each row of x [tokens, hidden], in fp32: [tokens, 1].
at::Tensor rmsNormScale(const at::Tensor& x, double epsilon);

/// x * scale * weight in x's type: [tokens, hidden]. `weight` [hidden] has x's type (then the first product is rounded
/// to it, as in transformers' LlamaRMSNorm) or is fp32 (then both are made in fp32, as in GemmaRMSNorm).
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& weight);

/// What rmsNorm multiplies by for x of `type`: the norm's weight in that type, or 1 + weight in fp32.
at::Tensor normFactor(const Parameter& norm, at::ScalarType type, bool addsOne);

/// Gradient with respect to x, given the gradient of the output: [tokens, hidden]. With `weightGradient` [hidden]
/// (fp32) the gradient of the weight is added to it.
at::Tensor rmsNormBackward(const at::Tensor& outputGradient, const at::Tensor& x, const at::Tensor& scale,
    const at::Tensor& weight, const at::Tensor& weightGradient = {});

} // namespace tunebench
