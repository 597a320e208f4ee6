#pragma once

#include "core/train/remedies.h"

#include <functional>

namespace tunebench {

/// How the workbench plans a run; both are called on any thread. The program gives planMemory and planRemedies, tests
/// functions of their own. Without them nothing is planned.
struct RunPlanner {
    std::function<Result<MemoryPlan>(const ConfigChoice& choice, std::span<const RowExtent> extents, PlanDetail detail)>
        plan;
    std::function<std::vector<Remedy>(
        const ConfigChoice& choice, std::span<const RowExtent> extents, const MemoryPlan& plan)>
        remedies;
};

} // namespace tunebench
