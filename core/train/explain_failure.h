#pragma once

#include "core/config/run_config.h"
#include "core/runs/metrics.h"

#include <exception>
#include <string>

namespace tunebench {

/// An exception of the engine as a sentence for the user. Memory that ran out gets what it happened in and what would
/// help.
std::string explainException(const std::exception& error, const RunConfig& config, bool training);

/// Why training stopped at a gradient that is not finite, and what to change.
std::string explainNotFinite(const StepMetrics& metrics, const RunConfig& config, const std::string& where);

} // namespace tunebench
