#pragma once

#include "core/data/dataset.h"

#include <cstdint>
#include <vector>

namespace tunebench {

/// The counts that follow from rows and options alone; the form shows them as they change.
struct StepCounts {
    int64_t effectiveBatch = 0; ///< batch_size x accumulation_steps, rows
    int64_t stepsPerEpoch = 0; ///< the last, smaller group counts
    int64_t totalSteps = 0; ///< the end that comes first: epochs or max_steps
};
StepCounts countSteps(int64_t trainingRows, const RunConfig& config);

/// The rows of one epoch in the order in which they are trained: a function of seed and epoch (from 0) alone.
std::vector<size_t> epochOrder(size_t rows, const RunConfig& config, int64_t epoch);

/// The micro-batches of one optimizer step (from 0), each a list of row indexes; the last group of an epoch may hold
/// fewer, and no micro-batch is empty.
std::vector<std::vector<size_t>> stepRows(size_t rows, const RunConfig& config, int64_t step);

/// The same for a caller who keeps the epoch's order, which saves shuffling once a step. `stepInEpoch` counts from 0;
/// past the end of the epoch there are no micro-batches.
std::vector<std::vector<size_t>> stepRows(std::span<const size_t> order, const RunConfig& config, int64_t stepInEpoch);

/// Rows side by side. Slot i belongs to the segment s with segmentStarts[s] <= i < segmentStarts[s + 1]; attention
/// stays inside a segment. Padding slots, where there are any, form segments of their own and have no target.
struct MicroBatch {
    std::vector<int64_t> ids; ///< [slots]
    std::vector<int64_t> positions; ///< [slots], from 0 in each segment
    std::vector<int64_t> targets; ///< [slots], shifted: the id that slot i shall predict, or ignoredLabel
    std::vector<int64_t> segmentStarts; ///< [segments + 1]
    int64_t tokens = 0; ///< real tokens
    int64_t supervised = 0; ///< targets that are not ignoredLabel
};

/// Collates rows. `padId` fills the padding of `longest` and `max_length`; with `none` it is not used.
MicroBatch collate(
    std::span<const TokenRow> rows, std::span<const size_t> indexes, const RunConfig& config, TokenId padId);

} // namespace tunebench
