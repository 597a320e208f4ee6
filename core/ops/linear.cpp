#include "core/ops/linear.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/product.h"
#include "core/ops/views.h"

namespace tunebench {
namespace {

void addBaseGradients(const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x)
{
    if (layer.weight.trained())
        layer.weight.addGradient(outputGradient, x);
    if (layer.bias.trained())
        layer.bias.gradient.add_(outputGradient.to(at::kFloat).sum(0));
}

} // namespace

at::Tensor linear(const Linear& layer, const at::Tensor& x)
{
    auto y = [&] {
        const auto weight = [&] {
            const CategoryScope scope(MemoryCategory::temporary);
            return layer.weight.heldForProduct(x);
        }();
        return product(x, transposed(weight));
    }();
    const CategoryScope scope(MemoryCategory::temporary);
    if (layer.lora)
        addLoraProduct(*layer.lora, layer.weight, x, y);
    if (layer.bias.exists())
        y.add_(layer.bias.heldAs(x));
    return y;
}

void linearBackward(
    const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x, at::Tensor& inputGradient)
{
    addBaseGradients(layer, outputGradient, x);
    if (layer.lora)
        loraBackward(*layer.lora, layer.weight, outputGradient, x, inputGradient);
    else
        addProductTo(inputGradient, outputGradient, layer.weight.heldForProduct(outputGradient));
}

void linearParameterGradients(const Linear& layer, const at::Tensor& outputGradient, const at::Tensor& x)
{
    addBaseGradients(layer, outputGradient, x);
    if (layer.lora)
        addLoraGradients(*layer.lora, layer.weight, outputGradient, x);
}

} // namespace tunebench
