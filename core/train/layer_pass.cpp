#include "core/train/layer_pass.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/gated_mlp.h"
#include "core/ops/rms_norm.h"

namespace tunebench {
namespace {

at::Tensor normalized(const at::Tensor& x, const at::Tensor& scale, const Parameter& weight)
{
    return rmsNorm(x, scale, weight.value.to(x.scalar_type()));
}

at::Tensor normBackward(
    const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale, const Parameter& weight)
{
    return rmsNormBackward(gradient, x, scale, weight.value.to(x.scalar_type()), weight.gradient);
}

at::Tensor heads(const at::Tensor& x, int64_t headSize)
{
    return x.view({ x.size(0), -1, headSize });
}

/// Query or key as attention takes it, from what is kept of it.
at::Tensor attendedForm(const at::Tensor& kept, const Parameter& norm, const PassContext& context)
{
    if (!norm.exists())
        return kept; // rotated already
    const CategoryScope scope(MemoryCategory::temporary);
    auto y = normalized(kept, rmsNormScale(kept, context.spec.normEpsilon), norm);
    rotate(y, context.angles);
    return y;
}

/// The gradient of what was projected, from that of what attention took.
at::Tensor projectedGradient(
    const at::Tensor& gradient, const at::Tensor& projected, const Parameter& norm, const PassContext& context)
{
    rotateBack(gradient, context.angles);
    if (!norm.exists())
        return gradient;
    return normBackward(gradient, projected, rmsNormScale(projected, context.spec.normEpsilon), norm);
}

/// Attention half: fills the first part of `a` and returns input + attention.
at::Tensor attentionForward(const DecoderLayer& layer, const PassContext& context, LayerActivations& a)
{
    a.inputScale = rmsNormScale(a.input, context.spec.normEpsilon);
    {
        const auto x = normalized(a.input, a.inputScale, layer.inputNorm);
        a.query = heads(linear(layer.query, x), context.spec.headSize);
        a.key = heads(linear(layer.key, x), context.spec.headSize);
        a.value = heads(linear(layer.value, x), context.spec.headSize);
    }
    if (!context.spec.queryKeyNorm) {
        rotate(a.query, context.angles);
        rotate(a.key, context.angles);
    }
    {
        const auto query = attendedForm(a.query, layer.queryNorm, context);
        const auto key = attendedForm(a.key, layer.keyNorm, context);
        a.attended = attention(query, key, a.value, context.segments).flatten(1);
    }
    return linear(layer.output, a.attended).add_(a.input);
}

/// MLP half: fills the second part of `a` and returns the layer's output.
at::Tensor mlpForward(const DecoderLayer& layer, const PassContext& context, LayerActivations& a)
{
    a.middleScale = rmsNormScale(a.middle, context.spec.normEpsilon);
    {
        const auto x = normalized(a.middle, a.middleScale, layer.postAttentionNorm);
        a.gate = linear(layer.gate, x);
        a.up = linear(layer.up, x);
    }
    return linear(layer.down, gatedActivation(a.gate, a.up)).add_(a.middle);
}

at::Tensor mlpBackward(const DecoderLayer& layer, LayerActivations& a, const at::Tensor& outputGradient)
{
    at::Tensor activationGradient;
    linearBackward(layer.down, outputGradient, layer.down.trained() ? gatedActivation(a.gate, a.up) : at::Tensor(),
        activationGradient);
    auto [gateGradient, upGradient] = gatedActivationBackward(activationGradient, a.gate, a.up);
    activationGradient.reset();
    a.gate.reset();
    a.up.reset();

    at::Tensor inputGradient;
    {
        const bool inputNeeded = layer.gate.trained() || layer.up.trained();
        const auto x = inputNeeded ? normalized(a.middle, a.middleScale, layer.postAttentionNorm) : at::Tensor();
        linearBackward(layer.gate, gateGradient, x, inputGradient);
        gateGradient.reset();
        linearBackward(layer.up, upGradient, x, inputGradient);
        upGradient.reset();
    }
    return normBackward(inputGradient, a.middle, a.middleScale, layer.postAttentionNorm).add_(outputGradient);
}

AttentionGradients attentionInputGradients(
    const DecoderLayer& layer, const PassContext& context, LayerActivations& a, const at::Tensor& middleGradient)
{
    at::Tensor attendedGradient;
    linearBackward(layer.output, middleGradient, a.attended, attendedGradient);
    a.attended.reset();
    auto gradients = [&] {
        const auto query = attendedForm(a.query, layer.queryNorm, context);
        const auto key = attendedForm(a.key, layer.keyNorm, context);
        return attentionBackward(heads(attendedGradient, context.spec.headSize), query, key, a.value, context.segments);
    }();
    a.value.reset();
    gradients.query = projectedGradient(gradients.query, a.query, layer.queryNorm, context);
    a.query.reset();
    gradients.key = projectedGradient(gradients.key, a.key, layer.keyNorm, context);
    a.key.reset();
    return gradients;
}

} // namespace

at::Tensor layerForward(
    const DecoderLayer& layer, const PassContext& context, const at::Tensor& x, LayerActivations* kept)
{
    const CategoryScope scope(kept ? MemoryCategory::savedActivations : MemoryCategory::temporary);
    LayerActivations activations;
    activations.input = x;
    activations.middle = attentionForward(layer, context, activations);
    if (!kept)
        activations = { .middle = activations.middle };
    else if (!layer.output.trained())
        activations.attended.reset();
    auto output = mlpForward(layer, context, activations);
    if (kept)
        *kept = std::move(activations);
    return output;
}

at::Tensor layerBackward(const DecoderLayer& layer, const PassContext& context, LayerActivations kept,
    at::Tensor outputGradient, bool inputGradientWanted)
{
    const auto middleGradient = mlpBackward(layer, kept, outputGradient);
    outputGradient.reset();
    kept.middle.reset();
    const auto gradients = attentionInputGradients(layer, context, kept, middleGradient);

    const bool inputNeeded = layer.query.trained() || layer.key.trained() || layer.value.trained();
    const auto x = inputNeeded ? normalized(kept.input, kept.inputScale, layer.inputNorm) : at::Tensor();
    if (!inputGradientWanted) {
        linearParameterGradients(layer.query, gradients.query.flatten(1), x);
        linearParameterGradients(layer.key, gradients.key.flatten(1), x);
        linearParameterGradients(layer.value, gradients.value.flatten(1), x);
        return {};
    }
    at::Tensor inputGradient;
    linearBackward(layer.query, gradients.query.flatten(1), x, inputGradient);
    linearBackward(layer.key, gradients.key.flatten(1), x, inputGradient);
    linearBackward(layer.value, gradients.value.flatten(1), x, inputGradient);
    return normBackward(inputGradient, kept.input, kept.inputScale, layer.inputNorm).add_(middleGradient);
}

} // namespace tunebench
