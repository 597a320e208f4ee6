#include "core/train/pass.h"

#include "core/config/cards.h"
#include "core/memory/counting_allocator.h"
#include "core/memory/memory_ledger.h"
#include "core/model/lora.h"
#include "core/train/embed_pass.h"
#include "core/train/head_pass.h"
#include "core/train/host_tensor.h"
#include "core/train/layer_pass.h"
#include "core/train/preference_loss.h"
#include "core/train/stopwatch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <optional>
#include <utility>

namespace tunebench {
namespace {

/// What is kept for the backward pass: all activations; all but those of the MLP's wide projections; or only the input
/// of every k-th layer, on the device or in the computer's memory. The rest is computed again.
struct RecomputePlan {
    int64_t everyLayers = 0; ///< 0: keep the activations of all layers
    bool gateUp = false; ///< not gate and up
    bool offload = false; ///< segment inputs lie in the computer's memory
};

/// A dry run plans for the device of the options.
RecomputePlan recomputePlan(const RunConfig& config)
{
    switch (config.gradientCheckpointing) {
    case GradientCheckpointing::off:
        return {};
    case GradientCheckpointing::selective:
        return { .gateUp = true };
    case GradientCheckpointing::full:
        return { .everyLayers = config.checkpointEveryLayers };
    case GradientCheckpointing::offload:
        return { .everyLayers = config.checkpointEveryLayers, .offload = cudaNumber(config.device).has_value() };
    }
    return {};
}

bool isTrained(DecoderLayer& layer)
{
    bool trained = false;
    layer.forEachBaseParameter([&](const Parameter& parameter) { trained |= parameter.trained(); });
    for (const auto& [name, projection] : layer.projections())
        trained |= projection->lora.has_value();
    return trained;
}

/// The lowest layer with something to train; layers below it need no backward pass.
size_t lowestTrainedLayer(Decoder& decoder)
{
    if (decoder.embedding.trained())
        return 0;
    for (size_t i = 0; i < decoder.layers.size(); ++i) {
        if (isTrained(decoder.layers[i]))
            return i;
    }
    return decoder.layers.size();
}

/// A tensor that waits for its use, on its device or in the computer's memory. On the meta device what is offloaded
/// takes no memory, as it takes none of the card's; it is only counted.
class WaitingTensor {
public:
    void put(const at::Tensor& tensor, bool offload)
    {
        m_device = tensor.device();
        m_shape = tensor.sizes().vec();
        m_type = tensor.scalar_type();
        if (!offload)
            m_tensor = tensor;
        else if (m_device.is_meta())
            offloadLedger().add(static_cast<int64_t>(tensor.nbytes()), MemoryCategory::savedActivations);
        else
            m_tensor = tensor.to(at::kCPU);
    }

    at::Tensor take()
    {
        const CategoryScope scope(MemoryCategory::savedActivations);
        if (!m_tensor.defined()) {
            auto tensor = at::empty(m_shape, at::TensorOptions().dtype(m_type).device(m_device));
            offloadLedger().subtract(static_cast<int64_t>(tensor.nbytes()), MemoryCategory::savedActivations);
            return tensor;
        }
        return std::exchange(m_tensor, {}).to(m_device);
    }

private:
    at::Tensor m_tensor;
    at::Device m_device = at::kCPU;
    std::vector<int64_t> m_shape;
    at::ScalarType m_type = at::kFloat;
};

/// The layers of one pass: forward keeps what the plan says, backward gives it up again.
class LayerStack {
public:
    LayerStack(Decoder& decoder, const PassContext& context, RecomputePlan recompute)
        : m_layers(decoder.layers)
        , m_context(context)
        , m_recompute(recompute)
        , m_lowest(lowestTrainedLayer(decoder))
        , m_embeddingTrained(decoder.embedding.trained())
        , m_kept(decoder.layers.size())
        , m_segmentInputs(decoder.layers.size())
    {
    }

    at::Tensor forward(at::Tensor x)
    {
        for (size_t i = 0; i < m_layers.size(); ++i) {
            const bool wanted = i >= m_lowest;
            if (wanted && startsSegment(i))
                m_segmentInputs[i].put(x, m_recompute.offload);
            const bool keep = wanted && m_recompute.everyLayers == 0;
            // A segment's input stays until its backward pass, so it is a saved activation, wherever it was made.
            const CategoryScope scope(
                startsSegment(i + 1) ? MemoryCategory::savedActivations : CategoryScope::current());
            const PlaceScope place({ static_cast<int>(i), "layer", "forward" });
            x = layerForward(m_layers[i], m_context, x, keep ? &m_kept[i] : nullptr);
            if (m_recompute.gateUp) {
                m_kept[i].gate.reset();
                m_kept[i].up.reset();
            }
        }
        return x;
    }

    /// Takes the gradient of the last layer's output; returns that of the first one's input where it is wanted.
    at::Tensor backward(at::Tensor gradient, double& recomputeSeconds)
    {
        for (size_t i = m_layers.size(); i-- > m_lowest;) {
            if (m_recompute.everyLayers > 0 && !m_kept[i].input.defined())
                recomputeSegment(i, recomputeSeconds);
            if (m_recompute.gateUp) {
                const Stopwatch watch(recomputeSeconds);
                const PlaceScope place({ static_cast<int>(i), "mlp", "recompute" });
                recomputeGateUp(m_layers[i], m_context, m_kept[i]);
            }
            const PlaceScope place({ static_cast<int>(i), "layer", "backward" });
            gradient = layerBackward(m_layers[i], m_context, std::exchange(m_kept[i], {}), std::move(gradient),
                i > m_lowest || m_embeddingTrained || m_layers[i].inputNorm.trained());
        }
        return gradient;
    }

private:
    bool startsSegment(size_t layer) const
    {
        return m_recompute.everyLayers > 0 && layer >= m_lowest
            && (layer - m_lowest) % static_cast<size_t>(m_recompute.everyLayers) == 0;
    }

    /// Runs the segment that ends with layer `last` again and keeps its activations.
    void recomputeSegment(size_t last, double& seconds)
    {
        const Stopwatch watch(seconds);
        size_t first = last;
        while (!startsSegment(first))
            --first;
        auto x = m_segmentInputs[first].take();
        for (size_t i = first; i <= last; ++i) {
            const PlaceScope place({ static_cast<int>(i), "layer", "recompute" });
            x = layerForward(m_layers[i], m_context, x, &m_kept[i]);
        }
    }

    std::vector<DecoderLayer>& m_layers;
    const PassContext& m_context;
    RecomputePlan m_recompute;
    size_t m_lowest;
    bool m_embeddingTrained;
    std::vector<LayerActivations> m_kept;
    std::vector<WaitingTensor> m_segmentInputs;
};

at::Tensor idsOf(const MicroBatch& batch, at::Device device)
{
    return hostTensor<int64_t>(batch.ids, { static_cast<int64_t>(batch.ids.size()) }, device);
}

PassContext contextOf(const Decoder& decoder, const MicroBatch& batch)
{
    return { decoder.spec, anglesOf(decoder, batch.positions), batch.segmentStarts };
}

at::Tensor forwardOnly(const Decoder& decoder, const PassContext& context, const at::Tensor& ids)
{
    auto x = embed(decoder, ids);
    for (size_t i = 0; i < decoder.layers.size(); ++i) {
        const PlaceScope place(static_cast<int>(i), "layer");
        x = layerForward(decoder.layers[i], context, x, nullptr);
    }
    return x;
}

/// What the passes of a micro-batch have in common.
struct PassInputs {
    PassContext context;
    at::Tensor ids; ///< [slots]
    Supervision supervision;

    PassInputs(const Decoder& decoder, const MicroBatch& batch)
        : context(contextOf(decoder, batch))
        , ids(idsOf(batch, decoder.device))
        , supervision(batch, decoder.device)
    {
    }
};

PassInputs inputsOf(const Decoder& decoder, const MicroBatch& batch, std::string_view pass)
{
    const PlaceScope place({ -1, "embedding", pass });
    return PassInputs(decoder, batch);
}

/// The pairs of a micro-batch and what the model without its adapter makes of them.
struct Reference {
    PreferencePairs pairs;
    at::Tensor logProbabilities; ///< [segments]

    Reference(Decoder& decoder, const MicroBatch& batch, const PassInputs& inputs)
        : pairs(batch, decoder.device)
    {
        const AdapterOff off(decoder);
        logProbabilities = pairs.logProbabilities(
            headLosses(decoder, forwardOnly(decoder, inputs.context, inputs.ids), inputs.supervision));
    }
};

/// In fp64, [1]. sum(kDouble) makes the same copy where nobody sees it.
at::Tensor sumOf(const at::Tensor& losses)
{
    return losses.to(at::kDouble).sum().unsqueeze(0);
}

/// Sums over the micro-batch, and what its loss is of each token's: the losses of tokens count alike; those of pairs as
/// the preference loss has it.
PreferencePairs::Loss lossOf(const Decoder& decoder, const at::Tensor& x, const PassInputs& inputs,
    const std::optional<Reference>& reference, const RunConfig& config)
{
    const auto losses = headLosses(decoder, x, inputs.supervision);
    if (!reference)
        return { sumOf(losses), {} };
    return reference->pairs.loss(reference->pairs.logProbabilities(losses), reference->logProbabilities, config);
}

std::optional<Reference> referenceOf(
    Decoder& decoder, const MicroBatch& batch, const PassInputs& inputs, const RunConfig& config)
{
    const PlaceScope place({ -1, "embedding", "reference" });
    return config.objective == Objective::dpo ? std::optional<Reference>(std::in_place, decoder, batch, inputs)
                                              : std::nullopt;
}

/// The gradient of the loss at the layers' output, scaled, and the pass' sums.
at::Tensor headGradient(const Decoder& decoder, const at::Tensor& x, const PassInputs& inputs,
    const std::optional<Reference>& reference, const RunConfig& config, double scale, at::Tensor& sums)
{
    at::Tensor weights, gradient;
    if (reference) {
        const PlaceScope place({ -1, "head and loss", "forward" });
        auto loss = lossOf(decoder, x, inputs, reference, config);
        sums = loss.sums;
        weights = loss.tokenWeights.mul_(scale);
    } else {
        weights = at::full(inputs.supervision.targets.sizes(), scale, x.options().dtype(at::kFloat));
    }
    const auto losses = headLossesWithGradient(decoder, x, inputs.supervision, weights, gradient);
    if (!reference)
        sums = sumOf(losses);
    return gradient;
}

} // namespace

at::Tensor trainingPass(
    Decoder& decoder, const MicroBatch& batch, const RunConfig& config, double gradientScale, PassTimes& times)
{
    const PlaceScope place({ -1, "head and loss", "backward" }); // and what else is between the layers
    const PassInputs inputs = inputsOf(decoder, batch, "forward");
    LayerStack stack(decoder, inputs.context, recomputePlan(config));
    at::Tensor sums, gradient;
    {
        const Stopwatch watch(times.forward);
        const auto reference = referenceOf(decoder, batch, inputs, config);
        const auto forward = [&] {
            const PlaceScope layers({ -1, "embedding", "forward" });
            return stack.forward(embed(decoder, inputs.ids));
        };
        gradient = headGradient(decoder, forward(), inputs, reference, config, gradientScale, sums);
    }
    const Stopwatch watch(times.backward);
    gradient = stack.backward(std::move(gradient), times.recompute);
    embedBackward(decoder, inputs.ids, gradient);
    return sums;
}

at::Tensor evaluationPass(Decoder& decoder, const MicroBatch& batch, const RunConfig& config)
{
    const PlaceScope place({ -1, "embedding", "evaluation" });
    const PassInputs inputs(decoder, batch);
    const auto reference = referenceOf(decoder, batch, inputs, config);
    return lossOf(decoder, forwardOnly(decoder, inputs.context, inputs.ids), inputs, reference, config).sums;
}

void watchedPass(Decoder& decoder, const MicroBatch& batch, const RunConfig& config,
    const std::function<void(const std::string& what, const at::Tensor& tensor)>& watch)
{
    const PassInputs inputs(decoder, batch);
    const auto reference = referenceOf(decoder, batch, inputs, config);
    auto x = embed(decoder, inputs.ids);
    watch("the embedding", x);
    for (size_t i = 0; i < decoder.layers.size(); ++i) {
        LayerActivations kept;
        x = layerForward(decoder.layers[i], inputs.context, x, &kept);
        watch("the output of attention in layer " + std::to_string(i), kept.middle);
        watch("the output of layer " + std::to_string(i), x);
    }
    watch("the loss", lossOf(decoder, x, inputs, reference, config).sums);
}

} // namespace tunebench
