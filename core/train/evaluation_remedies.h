#pragma once

#include "core/config/options.h"
#include "core/data/micro_batches.h"
#include "core/runs/remedy.h"

#include <vector>

namespace tunebench {

/// What would lower the memory that the evaluation of a micro-batch takes, each planned as that evaluation and ranked
/// as rankedRemedies() says. The limit is that of the options.
std::vector<Remedy> evaluationRemedies(const ConfigChoice& choice, const MicroBatch& batch);

} // namespace tunebench
