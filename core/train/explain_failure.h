#pragma once

#include "core/config/run_config.h"
#include "core/runs/metrics.h"

#include <exception>
#include <string>

namespace tunebench {

/// An exception of the engine as a sentence for the user; memory that ran out has a report of its own
/// (out_of_memory_watch.h).
std::string explainException(const std::exception& error);

/// Why training stopped at a gradient that is not finite, and what to change.
std::string explainNotFinite(const StepMetrics& metrics, const RunConfig& config, const std::string& where);

} // namespace tunebench
