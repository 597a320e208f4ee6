#include "core/ops/linear.h"

#include "core/memory/memory_ledger.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

namespace tunebench {
namespace {

at::Tensor held(const Parameter& parameter, const at::Tensor& like)
{
    return parameter.value.to(like.scalar_type());
}

/// scale * dy B: the gradient of x A^T, [tokens, rank].
at::Tensor lowRankGradient(const LoraPair& lora, const at::Tensor& outputGradient)
{
    return at::mm(outputGradient, held(lora.b, outputGradient)).mul_(lora.scale);
}

void addLoraGradients(
    const LoraPair& lora, const at::Tensor& outputGradient, const at::Tensor& lowRank, const at::Tensor& x)
{
    const auto reduced = at::mm(x, held(lora.a, x).t()).mul_(lora.scale);
    addProduct(lora.b.gradient, outputGradient.t(), reduced);
    addProduct(lora.a.gradient, lowRank.t(), x);
}

void addBaseGradients(const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x)
{
    if (layer.weight.trained())
        addProduct(layer.weight.gradient, outputGradient.t(), x);
    if (layer.bias.trained())
        layer.bias.gradient.add_(outputGradient.to(at::kFloat).sum(0));
}

} // namespace

void addProduct(const at::Tensor& gradient, const at::Tensor& left, const at::Tensor& right)
{
    if (left.scalar_type() == gradient.scalar_type())
        gradient.addmm_(left, right);
    else
        gradient.add_(at::mm(left, right).to(gradient.scalar_type()));
}

at::Tensor linear(const Linear& layer, const at::Tensor& x)
{
    const auto weight = [&] {
        const CategoryScope scope(MemoryCategory::temporary);
        return held(layer.weight, x);
    }();
    auto y = layer.bias.exists() ? at::addmm(held(layer.bias, x), x, weight.t()) : at::mm(x, weight.t());
    if (layer.lora) {
        const CategoryScope scope(MemoryCategory::temporary);
        const auto reduced = at::mm(x, held(layer.lora->a, x).t());
        y.addmm_(reduced, held(layer.lora->b, x).t(), 1, layer.lora->scale);
    }
    return y;
}

void linearBackward(
    const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x, at::Tensor& inputGradient)
{
    {
        const auto weight = held(layer.weight, outputGradient);
        if (inputGradient.defined())
            inputGradient.addmm_(outputGradient, weight);
        else
            inputGradient = at::mm(outputGradient, weight);
    }
    addBaseGradients(layer, outputGradient, x);
    if (layer.lora) {
        const auto lowRank = lowRankGradient(*layer.lora, outputGradient);
        addLoraGradients(*layer.lora, outputGradient, lowRank, x);
        inputGradient.addmm_(lowRank, held(layer.lora->a, outputGradient));
    }
}

void linearParameterGradients(const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x)
{
    addBaseGradients(layer, outputGradient, x);
    if (layer.lora)
        addLoraGradients(*layer.lora, outputGradient, lowRankGradient(*layer.lora, outputGradient), x);
}

} // namespace tunebench
