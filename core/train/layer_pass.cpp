#include "core/train/layer_pass.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/gated_mlp.h"
#include "core/ops/rms_norm.h"
#include "core/ops/views.h"

#include <ATen/ops/cat.h>
#include <algorithm>
#include <utility>

namespace tunebench {
namespace {

at::Tensor normalized(const at::Tensor& x, const at::Tensor& scale, const Parameter& norm, const PassContext& context)
{
    return rmsNorm(x, scale, normFactor(norm, x.scalar_type(), context.spec.normAddsOne));
}

at::Tensor normalized(const at::Tensor& x, const Parameter& norm, const PassContext& context)
{
    return normalized(x, rmsNormScale(x, context.spec.normEpsilon), norm, context);
}

at::Tensor normBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale, const Parameter& norm,
    const PassContext& context)
{
    return rmsNormBackward(
        gradient, x, scale, normFactor(norm, x.scalar_type(), context.spec.normAddsOne), norm.gradient);
}

at::Tensor normBackward(
    const at::Tensor& gradient, const at::Tensor& x, const Parameter& norm, const PassContext& context)
{
    return normBackward(gradient, x, rmsNormScale(x, context.spec.normEpsilon), norm, context);
}

at::Tensor heads(const at::Tensor& x, int64_t headSize)
{
    return x.view({ x.size(0), -1, headSize });
}

/// Query or key as attention takes it, from what is kept of it.
at::Tensor attendedForm(
    const at::Tensor& kept, const Parameter& norm, const RopeAngles& angles, const PassContext& context)
{
    if (!norm.exists())
        return kept; // rotated already
    const CategoryScope scope(MemoryCategory::temporary);
    auto y = normalized(kept, norm, context);
    rotate(y, angles);
    return y;
}

/// The gradient of what was projected, from that of what attention took.
at::Tensor projectedGradient(const at::Tensor& gradient, const at::Tensor& projected, const Parameter& norm,
    const RopeAngles& angles, const PassContext& context)
{
    rotateBack(gradient, angles);
    return norm.exists() ? normBackward(gradient, projected, norm, context) : gradient;
}

AttentionRule ruleOf(const DecoderLayer& layer, const ModelSpec& spec)
{
    return { spec.attentionScale(), spec.attentionSoftcap, layer.window };
}

/// Query, key and value of x, not yet rotated.
void projectQueryKeyValue(const DecoderLayer& layer, const ModelSpec& spec, const at::Tensor& x, LayerActivations& a)
{
    if (!spec.fusedProjections) {
        a.query = heads(linear(layer.query, x), spec.headSize);
        a.key = heads(linear(layer.key, x), spec.headSize);
        a.value = heads(linear(layer.value, x), spec.headSize);
        return;
    }
    const auto all = heads(linear(layer.queryKeyValue, x), spec.headSize);
    a.query = narrowed(all, 1, 0, spec.heads);
    a.key = narrowed(all, 1, spec.heads, spec.keyValueHeads);
    a.value = narrowed(all, 1, spec.heads + spec.keyValueHeads, spec.keyValueHeads);
}

void projectGateUp(const DecoderLayer& layer, const ModelSpec& spec, const at::Tensor& x, LayerActivations& a)
{
    if (!spec.fusedProjections) {
        a.gate = linear(layer.gate, x);
        a.up = linear(layer.up, x);
        return;
    }
    const auto both = linear(layer.gateUp, x);
    a.gate = narrowed(both, 1, 0, spec.intermediateSize);
    a.up = narrowed(both, 1, spec.intermediateSize, spec.intermediateSize);
}

/// A projection and the gradient of its output.
struct Projected {
    const Linear* projection;
    at::Tensor gradient; ///< [tokens, out]
};

std::vector<Projected> attentionProjections(const DecoderLayer& layer, const AttentionGradients& gradients)
{
    const auto& [query, key, value] = gradients;
    if (layer.queryKeyValue.weight.exists())
        return { { &layer.queryKeyValue, at::cat({ query, key, value }, 1).flatten(1) } };
    return { { &layer.query, query.flatten(1) }, { &layer.key, key.flatten(1) }, { &layer.value, value.flatten(1) } };
}

std::vector<Projected> mlpProjections(const DecoderLayer& layer, const GatedActivationGradients& gradients)
{
    if (layer.gateUp.weight.exists())
        return { { &layer.gateUp, at::cat({ gradients.gate, gradients.up }, 1) } };
    return { { &layer.gate, gradients.gate }, { &layer.up, gradients.up } };
}

bool anyTrained(const std::vector<Projected>& parts)
{
    return std::ranges::any_of(parts, [](const Projected& part) { return part.projection->trained(); });
}

/// Backward through projections that share the input x (undefined when none is trained); returns its gradient.
at::Tensor projectionsBackward(std::vector<Projected>&& parts, const at::Tensor& x)
{
    at::Tensor inputGradient;
    for (auto& [projection, gradient] : parts) {
        linearBackward(*projection, gradient, x, inputGradient);
        gradient.reset();
    }
    return inputGradient;
}

/// Attention half: fills the first part of `a` and returns input + attention.
at::Tensor attentionForward(const DecoderLayer& layer, const PassContext& context, LayerActivations& a)
{
    const PlaceScope place("attention");
    const RopeAngles& angles = context.angles[layer.rope];
    a.inputScale = rmsNormScale(a.input, context.spec.normEpsilon);
    projectQueryKeyValue(layer, context.spec, normalized(a.input, a.inputScale, layer.inputNorm, context), a);
    if (!context.spec.queryKeyNorm) {
        rotate(a.query, angles);
        rotate(a.key, angles);
    }
    {
        const auto query = attendedForm(a.query, layer.queryNorm, angles, context);
        const auto key = attendedForm(a.key, layer.keyNorm, angles, context);
        const AttentionRule rule = ruleOf(layer, context.spec);
        a.attended = (context.cache ? attention(query, key, a.value, *context.cache, rule)
                                    : attention(query, key, a.value, context.segments, rule))
                         .flatten(1);
    }
    if (!context.spec.outputNorms)
        return linear(layer.output, a.attended).add_(a.input);
    a.attentionOutput = linear(layer.output, a.attended);
    return normalized(a.attentionOutput, layer.attentionOutputNorm, context).add_(a.input);
}

/// MLP half: fills the second part of `a` and returns the layer's output.
at::Tensor mlpForward(const DecoderLayer& layer, const PassContext& context, LayerActivations& a)
{
    const PlaceScope place("mlp");
    a.middleScale = rmsNormScale(a.middle, context.spec.normEpsilon);
    projectGateUp(layer, context.spec, normalized(a.middle, a.middleScale, layer.mlpInputNorm, context), a);
    if (!context.spec.outputNorms)
        return linear(layer.down, gatedActivation(a.gate, a.up, context.spec.activation)).add_(a.middle);
    a.mlpOutput = linear(layer.down, gatedActivation(a.gate, a.up, context.spec.activation));
    return normalized(a.mlpOutput, layer.mlpOutputNorm, context).add_(a.middle);
}

/// The gradient of what `norm` normalised; where there is no such norm, the gradient itself. Gives `output` up.
at::Tensor outputNormBackward(
    const at::Tensor& gradient, at::Tensor& output, const Parameter& norm, const PassContext& context)
{
    const auto normalizedOutput = std::exchange(output, {});
    return norm.exists() ? normBackward(gradient, normalizedOutput, norm, context) : gradient;
}

at::Tensor mlpBackward(
    const DecoderLayer& layer, const PassContext& context, LayerActivations& a, const at::Tensor& outputGradient)
{
    const PlaceScope place("mlp");
    const Activation activation = context.spec.activation;
    at::Tensor activationGradient;
    linearBackward(layer.down, outputNormBackward(outputGradient, a.mlpOutput, layer.mlpOutputNorm, context),
        layer.down.trained() ? gatedActivation(a.gate, a.up, activation) : at::Tensor(), activationGradient);
    auto gradients = gatedActivationBackward(activationGradient, a.gate, a.up, activation);
    activationGradient.reset();
    a.gate.reset();
    a.up.reset();

    auto parts = mlpProjections(layer, std::exchange(gradients, {}));
    at::Tensor inputGradient;
    {
        const auto x
            = anyTrained(parts) ? normalized(a.middle, a.middleScale, layer.mlpInputNorm, context) : at::Tensor();
        inputGradient = projectionsBackward(std::move(parts), x);
    }
    return normBackward(inputGradient, a.middle, a.middleScale, layer.mlpInputNorm, context).add_(outputGradient);
}

AttentionGradients attentionInputGradients(
    const DecoderLayer& layer, const PassContext& context, LayerActivations& a, const at::Tensor& middleGradient)
{
    const RopeAngles& angles = context.angles[layer.rope];
    at::Tensor attendedGradient;
    linearBackward(layer.output,
        outputNormBackward(middleGradient, a.attentionOutput, layer.attentionOutputNorm, context), a.attended,
        attendedGradient);
    a.attended.reset();
    auto gradients = [&] {
        const auto query = attendedForm(a.query, layer.queryNorm, angles, context);
        const auto key = attendedForm(a.key, layer.keyNorm, angles, context);
        return attentionBackward(heads(attendedGradient, context.spec.headSize), query, key, a.value, context.segments,
            ruleOf(layer, context.spec));
    }();
    a.value.reset();
    gradients.query = projectedGradient(gradients.query, a.query, layer.queryNorm, angles, context);
    a.query.reset();
    gradients.key = projectedGradient(gradients.key, a.key, layer.keyNorm, angles, context);
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

void recomputeGateUp(const DecoderLayer& layer, const PassContext& context, LayerActivations& kept)
{
    const CategoryScope scope(MemoryCategory::savedActivations);
    const PlaceScope place("mlp");
    projectGateUp(layer, context.spec, normalized(kept.middle, kept.middleScale, layer.mlpInputNorm, context), kept);
}

at::Tensor layerBackward(const DecoderLayer& layer, const PassContext& context, LayerActivations kept,
    at::Tensor outputGradient, bool inputGradientWanted)
{
    const auto middleGradient = mlpBackward(layer, context, kept, outputGradient);
    outputGradient.reset();
    kept.middle.reset();
    const PlaceScope place("attention");
    auto parts = attentionProjections(layer, attentionInputGradients(layer, context, kept, middleGradient));
    const auto x = anyTrained(parts) ? normalized(kept.input, kept.inputScale, layer.inputNorm, context) : at::Tensor();
    if (!inputGradientWanted) {
        for (const auto& [projection, gradient] : parts)
            linearParameterGradients(*projection, gradient, x);
        return {};
    }
    const auto inputGradient = projectionsBackward(std::move(parts), x);
    return normBackward(inputGradient, kept.input, kept.inputScale, layer.inputNorm, context).add_(middleGradient);
}

} // namespace tunebench
