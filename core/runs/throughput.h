#pragma once

#include "core/config/run_config.h"
#include "core/runs/metrics.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tunebench {

/// Where the time of a run's steps goes: means over the steps, as shares of a step from 0 to 1.
struct StepTimes {
    double seconds = 0; ///< a step
    double data = 0, forward = 0, backward = 0, optimizer = 0; ///< backward without recompute
    double recompute = 0;
    double courtesy = 0; ///< pauses
    double padding = 0; ///< share of the slots processed that hold no token
    std::optional<double> deviceUtilization; ///< 0 to 1; of all cores where there is no card
    std::optional<double> clockFall; ///< share by which the clock is lower in the last third of the steps than before
};

/// The first steps, in which caches fill and kernels are chosen, should be left out. Nothing without steps.
std::optional<StepTimes> stepTimes(std::span<const StepMetrics> steps);

/// What slows a run down and what would help, each with its price; empty where nothing stands out. `fasterType` is a
/// product type that the device was measured to be faster in, and by how much (1.8 times).
struct FasterType {
    std::string name;
    double factor = 1;
};
std::vector<std::string> throughputAdvice(
    const StepTimes& times, const RunConfig& config, const std::optional<FasterType>& fasterType);

/// Times and advice as a sentence or more; empty without steps.
std::string throughputText(
    std::span<const StepMetrics> steps, const RunConfig& config, const std::optional<FasterType>& fasterType);

} // namespace tunebench
