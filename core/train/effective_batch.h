#pragma once

#include "core/train/run_extents.h"
#include "core/train/run_inputs.h"

#include <set>
#include <string>

namespace tunebench {

/// Sets batch_size and accumulation_steps of options with an effective_batch: the largest batch that divides it and
/// whose plan fits the card or limit, or, without one, what is free on the device now (on the CPU four fifths of it:
/// the program itself needs some). Where none fits, batches of one row. `set` names the options that were chosen, which
/// stay; without an effective_batch nothing changes. `extents` as for planMemory. Returns a sentence for the user.
Result<std::string> solveEffectiveBatch(RunModel& run, const std::set<std::string>& set, const RunExtents& extents);

} // namespace tunebench
