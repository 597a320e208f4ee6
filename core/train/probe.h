#pragma once

#include "core/config/options.h"
#include "core/runs/probe_result.h"
#include "core/train/prepare.h"

#include <stop_token>

namespace tunebench {

/// Loads the model, trains the first warm-up and timed steps of the run (the first ones again where it has fewer) and
/// throws everything away. Errors as those of a run, and when `stop` is asked for.
Result<Probe> probeRun(const ConfigChoice& choice, const Notice& notice, const std::stop_token& stop);

} // namespace tunebench
