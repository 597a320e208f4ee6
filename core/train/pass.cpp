#include "core/train/pass.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/rms_norm.h"
#include "core/train/host_tensor.h"
#include "core/train/layer_pass.h"
#include "core/train/stopwatch.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>
#include <cmath>
#include <utility>

namespace tunebench {
namespace {

RopeAngles anglesOf(const Decoder& decoder, const std::vector<int64_t>& positions)
{
    const auto& frequencies = decoder.inverseFrequencies;
    std::vector<float> cosine, sine;
    cosine.reserve(positions.size() * frequencies.size());
    sine.reserve(cosine.capacity());
    for (const int64_t position : positions) {
        for (const float frequency : frequencies) {
            const float angle = static_cast<float>(position) * frequency;
            cosine.push_back(std::cos(angle));
            sine.push_back(std::sin(angle));
        }
    }
    const std::vector<int64_t> shape { static_cast<int64_t>(positions.size()), 1,
        static_cast<int64_t>(frequencies.size()) };
    return { hostTensor<float>(cosine, shape, decoder.device).to(decoder.compute),
        hostTensor<float>(sine, shape, decoder.device).to(decoder.compute) };
}

/// The tokens whose prediction counts, and what they shall predict.
struct Supervision {
    at::Tensor slots; ///< [supervised]
    at::Tensor targets; ///< [supervised]

    Supervision(const MicroBatch& batch, at::Device device)
    {
        std::vector<int64_t> where, what;
        for (size_t i = 0; i < batch.targets.size(); ++i) {
            if (batch.targets[i] == ignoredLabel)
                continue;
            where.push_back(static_cast<int64_t>(i));
            what.push_back(batch.targets[i]);
        }
        const std::vector<int64_t> shape { static_cast<int64_t>(where.size()) };
        slots = hostTensor<int64_t>(where, shape, device);
        targets = hostTensor<int64_t>(what, shape, device);
    }
};

at::Tensor embed(const Decoder& decoder, const at::Tensor& ids)
{
    return at::embedding(decoder.embedding.value, ids).to(decoder.compute);
}

/// The lowest layer with something to train; layers below it need no backward pass.
size_t lowestTrainedLayer(Decoder& decoder)
{
    if (decoder.embedding.trained())
        return 0;
    for (size_t i = 0; i < decoder.layers.size(); ++i) {
        for (const auto& [name, projection] : decoder.layers[i].projections()) {
            if (projection->trained())
                return i;
        }
    }
    return decoder.layers.size();
}

/// The loss of the layers' output and, with `gradient`, its gradient there.
at::Tensor headLoss(const Decoder& decoder, const at::Tensor& x, const Supervision& supervision, double gradientScale,
    at::Tensor* gradient)
{
    const CategoryScope scope(MemoryCategory::logitsAndLoss);
    const auto chosen = at::index_select(x, 0, supervision.slots);
    const auto scale = rmsNormScale(chosen, decoder.spec.normEpsilon);
    const auto weight = decoder.finalNorm.value.to(decoder.compute);
    const auto hidden = rmsNorm(chosen, scale, weight);
    if (!gradient)
        return linearCrossEntropy(hidden, decoder.head(), supervision.targets);
    at::Tensor hiddenGradient;
    auto loss
        = linearCrossEntropyWithGradient(hidden, decoder.head(), supervision.targets, gradientScale, hiddenGradient);
    const auto chosenGradient = rmsNormBackward(hiddenGradient, chosen, scale, weight, decoder.finalNorm.gradient);
    *gradient = at::zeros(x.sizes(), x.options());
    gradient->index_copy_(0, supervision.slots, chosenGradient);
    return loss;
}

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
                m_segmentInputs[i] = x;
            const bool keep = wanted && m_recompute.everyLayers == 0;
            // A segment's input stays until its backward pass, so it is a saved activation, wherever it was made.
            const CategoryScope scope(
                startsSegment(i + 1) ? MemoryCategory::savedActivations : CategoryScope::current());
            x = layerForward(m_layers[i], m_context, x, keep ? &m_kept[i] : nullptr);
        }
        return x;
    }

    /// Takes the gradient of the last layer's output; returns that of the first one's input where it is wanted.
    at::Tensor backward(at::Tensor gradient, double& recomputeSeconds)
    {
        for (size_t i = m_layers.size(); i-- > m_lowest;) {
            if (m_recompute.everyLayers > 0 && !m_kept[i].input.defined())
                recomputeSegment(i, recomputeSeconds);
            gradient = layerBackward(m_layers[i], m_context, std::exchange(m_kept[i], {}), std::move(gradient),
                i > m_lowest || m_embeddingTrained);
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
        auto x = std::exchange(m_segmentInputs[first], {});
        for (size_t i = first; i <= last; ++i)
            x = layerForward(m_layers[i], m_context, x, &m_kept[i]);
    }

    std::vector<DecoderLayer>& m_layers;
    const PassContext& m_context;
    RecomputePlan m_recompute;
    size_t m_lowest;
    bool m_embeddingTrained;
    std::vector<LayerActivations> m_kept;
    std::vector<at::Tensor> m_segmentInputs;
};

at::Tensor idsOf(const MicroBatch& batch, at::Device device)
{
    return hostTensor<int64_t>(batch.ids, { static_cast<int64_t>(batch.ids.size()) }, device);
}

} // namespace

at::Tensor trainingPass(
    Decoder& decoder, const MicroBatch& batch, double gradientScale, RecomputePlan recompute, PassTimes& times)
{
    const PassContext context { decoder.spec, anglesOf(decoder, batch.positions), batch.segmentStarts };
    const auto ids = idsOf(batch, decoder.device);
    LayerStack stack(decoder, context, recompute);
    at::Tensor loss, gradient;
    {
        const Stopwatch watch(times.forward);
        loss = headLoss(
            decoder, stack.forward(embed(decoder, ids)), Supervision(batch, decoder.device), gradientScale, &gradient);
    }
    const Stopwatch watch(times.backward);
    gradient = stack.backward(std::move(gradient), times.recompute);
    if (decoder.embedding.trained())
        decoder.embedding.gradient.index_add_(0, ids, gradient.to(at::kFloat));
    return loss;
}

at::Tensor evaluationPass(const Decoder& decoder, const MicroBatch& batch)
{
    const PassContext context { decoder.spec, anglesOf(decoder, batch.positions), batch.segmentStarts };
    auto x = embed(decoder, idsOf(batch, decoder.device));
    for (const DecoderLayer& layer : decoder.layers)
        x = layerForward(layer, context, x, nullptr);
    return headLoss(decoder, x, Supervision(batch, decoder.device), 1, nullptr);
}

} // namespace tunebench
