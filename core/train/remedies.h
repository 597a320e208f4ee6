#pragma once

#include "core/runs/remedy.h"
#include "core/train/plan_memory.h"

#include <functional>
#include <vector>

namespace tunebench {

/// Changes that may lower the memory of training, or of an evaluation, whether they do or not; the cheapest first.
std::vector<Remedy> remedyCandidates(const RunConfig& config, bool training);

/// The peak of changed options, bytes.
using PeakPlanner = std::function<Result<int64_t>(const ConfigChoice&)>;

/// Those of the candidates (the cheapest first) that lower `peak`, as planned: what brings it within the limit (0:
/// none) first, the cheapest of it before the others, then what is not enough alone, the largest saving first.
std::vector<Remedy> rankedRemedies(const ConfigChoice& choice, std::vector<Remedy> candidates, int64_t peak,
    int64_t limit, const PeakPlanner& planner);

/// What would lower the peak of `plan`, each planned like the run itself and ranked as above. `choice` and `extents`
/// are those of the plan.
std::vector<Remedy> planRemedies(
    const ConfigChoice& choice, std::span<const RowExtent> extents, const MemoryPlan& plan);

} // namespace tunebench
