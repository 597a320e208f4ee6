#pragma once

#include "core/config/options.h"

#include <vector>

namespace tunebench {

/// How an effective batch is divided.
struct BatchSplit {
    int64_t batchSize = 0;
    int64_t accumulationSteps = 0;

    bool operator==(const BatchSplit&) const = default;
};

/// The splits of effective_batch that the options leave open, the smallest batch first: all of them, or the one that
/// goes with a batch_size or accumulation_steps that was set. Empty where none does, or no effective_batch is set.
std::vector<BatchSplit> batchSplits(const ConfigChoice& choice);

} // namespace tunebench
