#include "core/train/head_pass.h"

#include "core/memory/memory_ledger.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/rms_norm.h"
#include "core/train/host_tensor.h"

#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

namespace tunebench {

Supervision::Supervision(const MicroBatch& batch, at::Device device)
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

at::Tensor headLosses(const Decoder& decoder, const at::Tensor& x, const Supervision& supervision)
{
    const PlaceScope place(-1, "head and loss");
    const CategoryScope scope(MemoryCategory::logitsAndLoss);
    const auto chosen = at::index_select(x, 0, supervision.slots);
    const auto scale = rmsNormScale(chosen, decoder.spec.normEpsilon);
    const auto weight = normFactor(decoder.finalNorm, decoder.compute, decoder.spec.normAddsOne);
    return linearCrossEntropy(
        rmsNorm(chosen, scale, weight), decoder.head(), supervision.targets, decoder.spec.finalSoftcap);
}

at::Tensor nextTokenLogits(const Decoder& decoder, const at::Tensor& x)
{
    const PlaceScope place({ -1, "head", "answer" });
    const CategoryScope scope(MemoryCategory::logitsAndLoss);
    const auto weight = normFactor(decoder.finalNorm, decoder.compute, decoder.spec.normAddsOne);
    return linearLogits(
        rmsNorm(x, rmsNormScale(x, decoder.spec.normEpsilon), weight), decoder.head(), decoder.spec.finalSoftcap);
}

at::Tensor headLossesWithGradient(const Decoder& decoder, const at::Tensor& x, const Supervision& supervision,
    const at::Tensor& weights, at::Tensor& gradient)
{
    const PlaceScope place({ -1, "head and loss", "backward" });
    const CategoryScope scope(MemoryCategory::logitsAndLoss);
    const auto chosen = at::index_select(x, 0, supervision.slots);
    const auto scale = rmsNormScale(chosen, decoder.spec.normEpsilon);
    const auto weight = normFactor(decoder.finalNorm, decoder.compute, decoder.spec.normAddsOne);
    const auto hidden = rmsNorm(chosen, scale, weight);
    at::Tensor hiddenGradient;
    auto losses = linearCrossEntropyWithGradient(
        hidden, decoder.head(), supervision.targets, weights, hiddenGradient, decoder.spec.finalSoftcap);
    const auto chosenGradient = rmsNormBackward(hiddenGradient, chosen, scale, weight, decoder.finalNorm.gradient);
    gradient = at::zeros(x.sizes(), x.options());
    gradient.index_copy_(0, supervision.slots, chosenGradient);
    return losses;
}

} // namespace tunebench
