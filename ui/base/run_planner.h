#pragma once

#include "core/memory/machine_report.h"
#include "core/runs/probe_result.h"
#include "core/train/remedies.h"
#include "ui/base/free_memory.h"

#include <functional>

namespace tunebench {

/// A run's options with `auto` resolved, and what is known of its device.
struct KnownTypes {
    RunConfig config;
    DeviceMeasurement device;
};

/// Plans a model that is described but need not be there, with resolved options.
using ShapePlanner = std::function<Result<MemoryPlan>(
    const RunConfig& config, const ModelSpec& spec, const RunExtents& extents, PlanDetail detail)>;

/// Tries the first steps of a run.
using ProbeSource = std::function<Result<Probe>(const ConfigChoice& choice, const std::stop_token& stop)>;

/// How the workbench plans a run; all are called on any thread. The program gives planMemory, planRemedies, a look at
/// the stored measurement, freeMemoryOfThisMachine, planModel and probeRun, tests functions of their own. Without them
/// nothing is planned or measured, or known of free memory.
struct RunPlanner {
    std::function<Result<MemoryPlan>(const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail)> plan {};
    std::function<std::vector<Remedy>(const ConfigChoice& choice, const RunExtents& extents, const MemoryPlan& plan)>
        remedies {};
    std::function<Result<KnownTypes>(const RunConfig& config)> types {};
    FreeMemorySource freeMemory {};
    ShapePlanner shape {};
    ProbeSource probe {};
};

} // namespace tunebench
