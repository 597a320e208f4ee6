#pragma once

#include "core/runs/remedy.h"
#include "core/train/plan_memory.h"

#include <functional>
#include <vector>

namespace tunebench {

/// Changes that may lower the memory of training, or of an evaluation, whether they do or not; the cheapest first.
std::vector<Remedy> remedyCandidates(const RunConfig& config, bool training);

/// The peak of changed options, bytes, and whether it is within their limit.
struct PlannedPeak {
    int64_t allocated = 0;
    bool fits = true;
};
using PeakPlanner = std::function<Result<PlannedPeak>(const ConfigChoice&)>;

/// Those of the candidates (the cheapest first) that lower `peak`, as planned. Where there is a limit, what brings the
/// peak within it comes first, the cheapest of it before the others; then what is not enough alone, the largest saving
/// first.
std::vector<Remedy> rankedRemedies(
    const ConfigChoice& choice, std::vector<Remedy> candidates, int64_t peak, bool limited, const PeakPlanner& planner);

/// What would lower the peak of `plan`, each planned like the run itself and ranked as above. `choice` and `extents`
/// are those of the plan.
std::vector<Remedy> planRemedies(const ConfigChoice& choice, const RunExtents& extents, const MemoryPlan& plan);

} // namespace tunebench
