#include "core/train/effective_batch.h"

#include "core/config/batch_split.h"
#include "core/config/cards.h"
#include "core/config/number_text.h"
#include "core/memory/machine_report.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"
#include "core/train/plan_memory.h"

namespace tunebench {
namespace {

/// Bytes that a run may take.
int64_t roomFor(const RunConfig& config)
{
    if (const int64_t limit = limitBytes(config); limit > 0)
        return limit;
    const auto number = cudaNumber(config.device);
    if (!number)
        return readHostMemory().available / 5 * 4;
    const auto reading = Nvml().read(*number);
    return reading && reading->total && reading->used ? *reading->total - *reading->used : 0;
}

} // namespace

Result<std::string> solveEffectiveBatch(RunModel& run, const std::set<std::string>& set, const RunExtents& extents)
{
    const auto splits = batchSplits({ run.config, set });
    if (splits.empty())
        return std::string();
    const int64_t room = roomFor(run.config);
    const auto planned = [&](const BatchSplit& split) {
        RunConfig config = run.config;
        config.batchSize = split.batchSize;
        config.accumulationSteps = split.accumulationSteps;
        return planModel(config, run.model.spec, extents, PlanDetail::memory, run.longestPrompt());
    };
    BatchSplit best = splits.front();
    int64_t needed = 0;
    for (const BatchSplit& split : splits) {
        if (splits.size() == 1)
            break;
        const auto plan = planned(split);
        if (!plan)
            return tl::unexpected(plan.error());
        if (needed > 0 && room > 0 && plan->needed() > room)
            break;
        best = split;
        needed = plan->needed();
        if (room > 0 && needed > room)
            break;
    }
    run.config.batchSize = best.batchSize;
    run.config.accumulationSteps = best.accumulationSteps;
    if (!set.contains("eval_batch_size"))
        run.config.evalBatchSize = best.batchSize;
    const std::string chosen = "effective_batch " + std::to_string(*run.config.effectiveBatch) + ": batch_size "
        + std::to_string(best.batchSize) + " with accumulation_steps " + std::to_string(best.accumulationSteps);
    if (splits.size() == 1)
        return chosen + ".";
    return chosen + ", planned at " + bytesText(needed)
        + (room <= 0            ? "."
                : needed > room ? ", more than the " + bytesText(room) + " there are."
                                : ", the largest that fits " + bytesText(room) + ".");
}

} // namespace tunebench
