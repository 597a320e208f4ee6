#include "core/memory/memory_ledger.h"
#include "core/model/lora.h"
#include "core/train/host_tensor.h"
#include "core/train/preference_loss.h"
#include "core/train/stopwatch.h"
#include "core/train/trainee.h"

namespace tunebench {
namespace {

/// What the loss is a mean over: supervised tokens, or preference pairs.
int64_t learntUnits(const MicroBatch& batch)
{
    return batch.chosenSegments.empty() ? batch.supervised : std::ssize(batch.chosenSegments);
}

/// The number of the micro-batch that each one is, or is a part of.
std::vector<size_t> wholesOf(std::span<const MicroBatch> group)
{
    std::vector<size_t> wholes;
    size_t begun = 0;
    for (const MicroBatch& batch : group)
        wholes.push_back((batch.slotsBefore == 0 ? ++begun : begun) - 1);
    return wholes;
}

/// How much the sum of losses of each micro-batch counts in the step's loss; a part counts as its whole.
std::vector<double> lossWeights(
    const RunConfig& config, std::span<const MicroBatch> group, std::span<const size_t> wholes)
{
    int64_t units = 0;
    std::vector<int64_t> unitsOfWhole(wholes.empty() ? 0 : wholes.back() + 1);
    for (size_t i = 0; i < group.size(); ++i) {
        units += learntUnits(group[i]);
        unitsOfWhole[wholes[i]] += learntUnits(group[i]);
    }
    std::vector<double> weights;
    for (const size_t whole : wholes) {
        const bool tokens = config.lossNormalization == LossNormalization::tokens;
        const double divisor = static_cast<double>(tokens ? units : unitsOfWhole[whole])
            * static_cast<double>(tokens ? 1 : unitsOfWhole.size());
        weights.push_back(1 / divisor);
    }
    return weights;
}

uint64_t dropoutSeed(const RunConfig& config, int64_t step, size_t microBatch)
{
    return mixedSeed(mixedSeed(static_cast<uint64_t>(config.seed), static_cast<uint64_t>(step)), microBatch);
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
    const auto wholes = wholesOf(group);
    const auto weights = lossWeights(config, group, wholes);
    const double scale = trainee.scaler.scale();
    trainee.optimizer.clearGradients();
    auto means = zeroSums(config, trainee.decoder.device);
    for (size_t i = 0; i < group.size(); ++i) {
        if (!goOn()) {
            outcome.interrupted = true;
            return outcome;
        }
        const PlaceScope place({ -1, "loss", "backward" });
        const MicroBatch& batch = group[i];
        const DropoutScope dropout(trainee.decoder, dropoutSeed(config, trainee.optimizer.stepsDone(), wholes[i]),
            batch.slotsBefore, batch.slotsAfter);
        means.add_(trainingPass(trainee.decoder, batch, config, weights[i] * scale, outcome.times), weights[i]);
        outcome.supervisedTokens += batch.supervised;
        outcome.tokens += batch.tokens;
        outcome.slots += static_cast<int64_t>(batch.ids.size());
    }

    const Stopwatch watch(outcome.optimizerSeconds);
    const PlaceScope place({ -1, "optimizer", "update" });
    outcome.loss = scalarValue(means[0]);
    outcome.preference = preferenceMetrics(means);
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
