#pragma once

#include "core/runs/run_library.h"
#include "tests/ui/scripted_run.h"

namespace tunebench {

/// Writes a run folder as the engine does; a `running` one is left behind unlocked, as after a crash.
inline std::filesystem::path prepareRun(const std::filesystem::path& runs, const std::string& name, int64_t steps,
    RunState state, const RunConfig& config = {})
{
    auto folder = RunFolder::create(runs, name, config);
    RunSummary summary;
    summary.state = state;
    summary.startedAt = timeNow();
    summary.step = steps;
    summary.totalSteps = 100;
    summary.peakAllocated = 900 << 20;
    summary.tokensPerSecond = 2000;
    for (int64_t step = 1; step <= steps; ++step) {
        const StepMetrics metrics = someStep(step);
        summary.firstLoss = summary.firstLoss ? summary.firstLoss : metrics.loss;
        summary.lastLoss = metrics.loss;
        (void)folder->append(metrics);
    }
    (void)folder->append(EvalMetrics { .step = 0, .loss = 2.1, .tokens = 500, .seconds = 1 });
    (void)folder->append(EvalMetrics { .step = steps, .loss = 1.4, .tokens = 500, .seconds = 1 });
    summary.firstEvalLoss = 2.1;
    summary.lastEvalLoss = 1.4;
    (void)folder->writeSummary(summary);
    return folder->path();
}

} // namespace tunebench
