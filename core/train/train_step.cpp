#include "core/train/host_tensor.h"
#include "core/train/stopwatch.h"
#include "core/train/trainee.h"

#include <ATen/ops/zeros.h>

namespace tunebench {
namespace {

/// How much the sum of token losses of each micro-batch counts in the step's loss.
std::vector<double> lossWeights(const RunConfig& config, std::span<const MicroBatch> group)
{
    int64_t supervised = 0;
    for (const MicroBatch& batch : group)
        supervised += batch.supervised;
    std::vector<double> weights;
    for (const MicroBatch& batch : group) {
        const bool tokens = config.lossNormalization == LossNormalization::tokens;
        const double divisor = static_cast<double>(tokens ? supervised : batch.supervised)
            * static_cast<double>(tokens ? 1 : group.size());
        weights.push_back(1 / divisor);
    }
    return weights;
}

/// As torch.nn.utils.clip_grad_norm_.
void clip(Optimizer& optimizer, double norm, double largest)
{
    const double factor = largest / (norm + 1e-6);
    if (largest > 0 && factor < 1)
        optimizer.scaleGradients(factor);
}

} // namespace

StepOutcome trainStep(Trainee& trainee, const RunConfig& config, std::span<const MicroBatch> group, double learningRate,
    const std::function<bool()>& goOn)
{
    StepOutcome outcome;
    const auto weights = lossWeights(config, group);
    const RecomputePlan recompute {
        config.gradientCheckpointing == GradientCheckpointing::full ? config.checkpointEveryLayers : 0,
    };
    const double scale = trainee.scaler.scale();
    trainee.optimizer.clearGradients();
    auto loss = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(trainee.decoder.device));
    for (size_t i = 0; i < group.size(); ++i) {
        if (!goOn()) {
            outcome.interrupted = true;
            return outcome;
        }
        const MicroBatch& batch = group[i];
        loss.add_(trainingPass(trainee.decoder, batch, weights[i] * scale, recompute, outcome.times), weights[i]);
        outcome.supervisedTokens += batch.supervised;
        outcome.tokens += batch.tokens;
        outcome.slots += static_cast<int64_t>(batch.ids.size());
    }

    const Stopwatch watch(outcome.optimizerSeconds);
    outcome.loss = scalarValue(loss);
    outcome.gradNorm = trainee.optimizer.gradientNorm() / scale;
    outcome.skipped = !trainee.scaler.accept(outcome.gradNorm);
    if (outcome.skipped || !std::isfinite(outcome.gradNorm))
        return outcome;
    if (scale != 1)
        trainee.optimizer.scaleGradients(1 / scale);
    clip(trainee.optimizer, outcome.gradNorm, config.maxGradNorm);
    trainee.optimizer.step(learningRate);
    return outcome;
}

} // namespace tunebench
