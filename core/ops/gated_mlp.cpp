#include "core/ops/gated_mlp.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

namespace tunebench {

at::Tensor gatedActivation(const at::Tensor& gate, const at::Tensor& up)
{
    return at::silu(gate).mul_(up);
}

GatedActivationGradients gatedActivationBackward(
    const at::Tensor& outputGradient, const at::Tensor& gate, const at::Tensor& up)
{
    auto gateGradient = at::silu_backward(at::mul(outputGradient, up), gate);
    auto upGradient = at::silu(gate).mul_(outputGradient);
    return { std::move(gateGradient), std::move(upGradient) };
}

} // namespace tunebench
