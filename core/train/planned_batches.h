#pragma once

#include "core/data/micro_batches.h"
#include "core/train/run_extents.h"

#include <vector>

namespace tunebench {

/// The micro-batches that tell what a run needs, found among all that it will execute. Their tokens are made up:
/// neither memory nor time depends on what they say.
struct PlannedBatches {
    std::vector<MicroBatch> extreme; ///< those that may need the most memory, each once
    size_t heldOut = 0; ///< rows, or pairs, to evaluate on
    std::vector<MicroBatch> evaluation; ///< those of the evaluation that are larger than any of these in something
    MicroBatch typical; ///< the one nearest to the mean of all
    double typicalShare = 1; ///< tokens of the mean micro-batch, as a multiple of the typical one's
    double microBatchesPerStep = 0; ///< mean
    StepCounts counts;
};

/// What truncation, max_rows and eval_share leave out is left out as the run leaves it out. No `extreme` when no row is
/// left to train on.
PlannedBatches planBatches(const RunExtents& extents, const RunConfig& config);

} // namespace tunebench
