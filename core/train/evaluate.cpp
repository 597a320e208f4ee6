#include "core/train/evaluate.h"

#include "core/data/evaluation_batches.h"
#include "core/train/host_tensor.h"
#include "core/train/out_of_memory_watch.h"
#include "core/train/preference_loss.h"

#include <ATen/TensorOperators.h>
#include <chrono>
#include <cmath>

namespace tunebench {
namespace {

/// The sums of a micro-batch, in halves where it does not fit and may be split.
at::Tensor sumsOf(Decoder& decoder, const MicroBatch& batch, const RunConfig& config)
{
    std::pair<MicroBatch, MicroBatch> halves;
    try {
        return evaluationPass(decoder, batch, config);
    } catch (const std::exception& error) {
        halves = splitOrRethrow(error, batch, decoder.device, config);
    }
    return sumsOf(decoder, halves.first, config).add_(sumsOf(decoder, halves.second, config));
}

} // namespace

std::optional<EvalMetrics> evaluate(Decoder& decoder, std::span<const TokenRow> rows, const RunConfig& config,
    int64_t slotBudget, const std::function<bool(const MicroBatch&)>& goOn)
{
    RunConfig unpadded = config; // padding changes no loss, only what it costs
    unpadded.padding = Padding::none;
    const auto start = std::chrono::steady_clock::now();
    EvalMetrics metrics;
    int64_t pairs = 0;
    auto sums = zeroSums(config, decoder.device);
    for (const auto& sequences : evaluationBatches(lengthsOf(rows), slotBudget, config)) {
        const MicroBatch batch = collate(rows, sequences, unpadded, 0);
        if (!goOn(batch))
            return std::nullopt;
        sums.add_(sumsOf(decoder, batch, config));
        metrics.tokens += batch.supervised;
        pairs += std::ssize(batch.chosenSegments);
    }
    const auto means = sums / static_cast<double>(pairs > 0 ? pairs : metrics.tokens);
    setPreference(metrics, preferenceMetrics(means));
    const double mean = scalarValue(means[0]);
    if (std::isfinite(mean))
        metrics.loss = mean;
    else
        metrics.note = "the held-out loss is not finite";
    metrics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return metrics;
}

} // namespace tunebench
