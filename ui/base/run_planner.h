#pragma once

#include "core/memory/doctor.h"
#include "core/train/remedies.h"

#include <functional>

namespace tunebench {

/// A run's options with `auto` resolved, and what is known of its device.
struct KnownTypes {
    RunConfig config;
    DeviceMeasurement device;
};

/// How the workbench plans a run; all are called on any thread. The program gives planMemory, planRemedies and a look
/// at the stored measurement, tests functions of their own. Without them nothing is planned.
struct RunPlanner {
    std::function<Result<MemoryPlan>(const ConfigChoice& choice, std::span<const RowExtent> extents, PlanDetail detail)>
        plan;
    std::function<std::vector<Remedy>(
        const ConfigChoice& choice, std::span<const RowExtent> extents, const MemoryPlan& plan)>
        remedies;
    std::function<Result<KnownTypes>(const RunConfig& config)> types;
};

} // namespace tunebench
