#include "core/train/dry_run.h"

#include "core/config/cards.h"
#include "core/memory/caching_allocator.h"
#include "core/memory/counting_allocator.h"
#include "core/memory/device.h"
#include "core/train/generate.h"
#include "core/train/operation_recorder.h"
#include "core/train/preference_loss.h"
#include "core/train/prompts.h"
#include "core/train/trainee.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <algorithm>
#include <c10/util/Exception.h>

namespace tunebench {
namespace {

/// The events of a trace by micro-batch.
class MicroBatchTraces {
public:
    explicit MicroBatchTraces(const MetaTrace& trace)
        : m_trace(trace)
        , m_before(metaLedger().allocated())
    {
    }

    void beginMicroBatch()
    {
        m_begins.push_back(m_trace.events().size());
        m_live = metaLedger().allocated() - m_before;
    }

    /// Sets the peak of each micro-batch, and the curve of the highest one with the update behind it.
    void describe(PlannedMemory& planned) const
    {
        if (m_begins.empty())
            return;
        const std::span<const AllocationEvent> all(m_trace.events());
        const auto isUpdate = [](const AllocationEvent& event) { return event.place.pass == "update"; };
        const auto last = all.subspan(m_begins.back());
        const size_t update
            = m_begins.back() + static_cast<size_t>(std::ranges::find_if(last, isUpdate) - last.begin());
        for (size_t i = 0; i < m_begins.size(); ++i) {
            const size_t end = i + 1 < m_begins.size() ? m_begins[i + 1] : update;
            auto curve = curveOf(all.subspan(m_begins[i], end - m_begins[i]));
            const bool highest = planned.curve.empty() || peakOf(curve) > peakOf(planned.curve);
            planned.microBatchPeaks.push_back(peakOf(curve));
            if (highest)
                planned.curve = std::move(curve);
        }
        auto behind = curveOf(all.subspan(update));
        while (!behind.empty() && behind.back().place.pass != "update") // what the end of the step lets go
            behind.pop_back();
        planned.curve.insert(planned.curve.end(), behind.begin(), behind.end());
    }

private:
    std::vector<CurvePoint> curveOf(std::span<const AllocationEvent> events) const
    {
        return stepCurve(events, m_trace.unit(), m_live);
    }

    static int64_t peakOf(const std::vector<CurvePoint>& curve)
    {
        return curve.empty() ? 0 : std::ranges::max_element(curve, {}, &CurvePoint::peak)->peak;
    }

    const MetaTrace& m_trace;
    int64_t m_before; ///< bytes that others hold
    int64_t m_live = 0; ///< bytes between micro-batches
    std::vector<size_t> m_begins;
};

/// As evaluate() does it.
void dryEvaluate(Decoder& decoder, std::span<const MicroBatch> batches, const RunConfig& config)
{
    const auto sums = zeroSums(config, decoder.device);
    for (const MicroBatch& batch : batches)
        sums.add_(evaluationPass(decoder, batch, config));
}

} // namespace

Result<PlannedMemory> dryRun(const RunConfig& config, const ModelSpec& spec,
    std::span<const std::vector<MicroBatch>> steps, int64_t longestPrompt, std::span<const MicroBatch> evaluation)
{
    initializeEngine();
    const at::AutoDispatchBelowADInplaceOrView noGradients;
    const int64_t before = metaLedger().allocated();
    metaLedger().resetPeak();
    offloadLedger().resetPeak();
    const MetaTrace trace(cudaNumber(config.device) ? CachingAllocator::roundTo : int64_t { MemoryLedger::rounding });
    MicroBatchTraces microBatches(trace);
    PlannedMemory planned;
    {
        auto trainee = makeTrainee(config, spec, nullptr, nullptr, at::kMeta);
        if (!trainee)
            return tl::unexpected(trainee.error());
        planned.resident = metaLedger().allocated() - before;
        if (longestPrompt > 0)
            dryAnswer(trainee->decoder, longestPrompt, mostAnswerTokens);
        dryEvaluate(trainee->decoder, evaluation, config);
        for (const auto& group : steps) {
            trainStep(*trainee, config, group, config.learningRate, [&] {
                microBatches.beginMicroBatch();
                return true;
            });
        }
        planned.peakAllocated = metaLedger().peak() - before;
        planned.offloaded = offloadLedger().peak();
        trainee->optimizer.forEachState([&](const std::string&, const at::Tensor& tensor) {
            planned.trainingState += static_cast<int64_t>(tensor.nbytes());
        });
        planned.atPeak = metaLedger().breakdownAtPeak();
        planned.place = metaLedger().placeOfPeak();
        microBatches.describe(planned);
    }
    if (cudaNumber(config.device))
        planned.peakReserved = peakReserved(trace.events());
    return planned;
}

Result<StepOperations> countOperations(const RunConfig& config, const ModelSpec& spec, const MicroBatch& batch)
{
    initializeEngine();
    const at::AutoDispatchBelowADInplaceOrView noGradients;
    auto trainee = makeTrainee(config, spec, nullptr, nullptr, at::kMeta);
    if (!trainee)
        return tl::unexpected(trainee.error());
    const OperationRecorder recorder;
    trainStep(*trainee, config, { &batch, 1 }, config.learningRate, [] { return true; });
    return StepOperations { recorder.ofPasses(), recorder.ofUpdate() };
}

Result<int64_t> dryEvaluation(const RunConfig& config, const ModelSpec& spec, const MicroBatch& batch)
{
    initializeEngine();
    const at::AutoDispatchBelowADInplaceOrView noGradients;
    const int64_t before = metaLedger().allocated();
    metaLedger().resetPeak();
    return makeTrainee(config, spec, nullptr, nullptr, at::kMeta).map([&](Trainee trainee) {
        dryEvaluate(trainee.decoder, { &batch, 1 }, config);
        return metaLedger().peak() - before;
    });
}

std::optional<MemoryRefusal> dryRunUntil(
    const RunConfig& config, const ModelSpec& spec, std::span<const std::vector<MicroBatch>> steps, int64_t bytes)
{
    initializeEngine();
    const at::AutoDispatchBelowADInplaceOrView noGradients;
    metaLedger().setLimit(metaLedger().allocated() + bytes);
    try {
        auto trainee = makeTrainee(config, spec, nullptr, nullptr, at::kMeta);
        for (const auto& group : steps) {
            if (trainee)
                trainStep(*trainee, config, group, config.learningRate, [] { return true; });
        }
    } catch (const c10::OutOfMemoryError&) { // that is what was asked for
    }
    metaLedger().setLimit(0);
    static_cast<void>(PlaceScope::takeFailed());
    return metaLedger().takeRefusal();
}

} // namespace tunebench
