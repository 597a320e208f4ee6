#pragma once

#include "core/train/trainee.h"

#include <span>
#include <string>

namespace tunebench {

/// Where numbers stop being finite in a step, in words: "the weight model.norm.weight", "what attention of layer 3
/// makes of micro-batch 2", "the gradient of ...": the first place in the order in which the step computes. Empty when
/// every number is finite. For a step that failed: it runs the micro-batches forward again, and the gradients must be
/// those of that step.
std::string findNotFinite(Trainee& trainee, const RunConfig& config, std::span<const MicroBatch> group);

} // namespace tunebench
