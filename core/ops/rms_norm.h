#pragma once

#include <ATen/core/Tensor.h>

namespace tunebench {

// Rows are normalised along the last dimension; what is said of [tokens, hidden] holds for [tokens, heads, head size].

/// 1 / sqrt(mean(x^2) + epsilon) of each row of x [tokens, hidden], in fp32: [tokens, 1].
at::Tensor rmsNormScale(const at::Tensor& x, double epsilon);

/// x * scale * weight, the products in fp32 and the result in x's type (as transformers' LlamaRMSNorm): [tokens,
/// hidden]. `weight` [hidden] has x's type.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& weight);

/// Gradient with respect to x, given the gradient of the output: [tokens, hidden]. With `weightGradient` [hidden]
/// (fp32) the gradient of the weight is added to it.
at::Tensor rmsNormBackward(const at::Tensor& outputGradient, const at::Tensor& x, const at::Tensor& scale,
    const at::Tensor& weight, const at::Tensor& weightGradient = {});

} // namespace tunebench
