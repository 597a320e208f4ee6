#pragma once

#include "core/ops/activation.h"

#include <ATen/core/Tensor.h>

namespace tunebench {

/// activation(gate) * up, all [tokens, intermediate].
at::Tensor gatedActivation(const at::Tensor& gate, const at::Tensor& up, Activation activation);

struct GatedActivationGradients {
    at::Tensor gate, up; ///< [tokens, intermediate]
};

/// Gradients given the gradient of the product.
GatedActivationGradients gatedActivationBackward(
    const at::Tensor& outputGradient, const at::Tensor& gate, const at::Tensor& up, Activation activation);

} // namespace tunebench
