#include "core/ops/gated_mlp.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

namespace tunebench {
namespace {

constexpr const char* tanhApproximation = "tanh";

at::Tensor activated(const at::Tensor& gate, Activation activation)
{
    return activation == Activation::silu ? at::silu(gate) : at::gelu(gate, tanhApproximation);
}

} // namespace

at::Tensor gatedActivation(const at::Tensor& gate, const at::Tensor& up, Activation activation)
{
    return activated(gate, activation).mul_(up);
}

GatedActivationGradients gatedActivationBackward(
    const at::Tensor& outputGradient, const at::Tensor& gate, const at::Tensor& up, Activation activation)
{
    const auto incoming = at::mul(outputGradient, up);
    auto gateGradient = activation == Activation::silu ? at::silu_backward(incoming, gate)
                                                       : at::gelu_backward(incoming, gate, tanhApproximation);
    auto upGradient = activated(gate, activation).mul_(outputGradient);
    return { std::move(gateGradient), std::move(upGradient) };
}

} // namespace tunebench
