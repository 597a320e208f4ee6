#pragma once

#include "core/data/micro_batches.h"

#include <span>
#include <vector>

namespace tunebench {

/// Slots that some micro-batch of training has in any case: those of the longest row, or of a batch of average
/// sequences. `lengths` are those of the rows that `plan` was made of; tokens.
int64_t usualSlots(std::span<const size_t> lengths, const BatchPlan& plan, const RunConfig& config);

/// The micro-batches in which evaluation goes through held-out rows of these lengths: at most eval_batch_size rows each
/// and at most `slots` slots, so that it seldom needs more memory than training; a single longer row is its own.
std::vector<std::vector<Sequence>> evaluationBatches(
    std::span<const size_t> lengths, int64_t slots, const RunConfig& config);

} // namespace tunebench
