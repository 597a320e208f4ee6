#pragma once

#include <ATen/core/Tensor.h>

namespace tunebench {

/// silu(gate) * up, all [tokens, intermediate].
at::Tensor gatedActivation(const at::Tensor& gate, const at::Tensor& up);

struct GatedActivationGradients {
    at::Tensor gate, up; ///< [tokens, intermediate]
};

/// Gradients given the gradient of the product.
GatedActivationGradients gatedActivationBackward(
    const at::Tensor& outputGradient, const at::Tensor& gate, const at::Tensor& up);

} // namespace tunebench
