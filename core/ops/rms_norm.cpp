#include "core/ops/rms_norm.h"

#include <ATen/ops/add.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>

// Operands are brought to one type by hand: ATen would do it as well, but behind the back of the dry run.

namespace tunebench {

at::Tensor rmsNormScale(const at::Tensor& x, double epsilon)
{
    auto norm = at::linalg_vector_norm(x.to(at::kFloat), 2, { -1 }, true);
    return norm.square_().div_(static_cast<double>(x.size(-1))).add_(epsilon).rsqrt_();
}

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& weight)
{
    auto normalized = at::mul(x.to(at::kFloat), scale);
    if (weight.scalar_type() == at::kFloat)
        return normalized.mul_(weight).to(x.scalar_type());
    return normalized.to(x.scalar_type()).mul_(weight);
}

at::Tensor normFactor(const Parameter& norm, at::ScalarType type, bool addsOne)
{
    return addsOne ? at::add(norm.value.to(at::kFloat), 1) : norm.value.to(type);
}

at::Tensor rmsNormBackward(const at::Tensor& outputGradient, const at::Tensor& x, const at::Tensor& scale,
    const at::Tensor& weight, const at::Tensor& weightGradient)
{
    auto normalized = at::mul(x.to(at::kFloat), scale);
    const auto incoming = outputGradient.to(at::kFloat);
    if (weightGradient.defined())
        weightGradient.add_(at::mul(incoming, normalized).flatten(0, -2).sum(0));
    // With y = w * n and n = x * s: dx = s * (g - n * mean(g * n)), g = w * dy.
    auto gradient = at::mul(incoming, weight.to(at::kFloat));
    const auto mean = at::mul(gradient, normalized).sum(-1, true).div_(static_cast<double>(x.size(-1)));
    return gradient.sub_(normalized.mul_(mean)).mul_(scale).to(x.scalar_type());
}

} // namespace tunebench
