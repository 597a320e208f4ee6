#pragma once

#include "core/data/dataset.h"
#include "core/data/packing.h"

#include <cstdint>
#include <vector>

namespace tunebench {

/// The counts that follow from rows and options alone; the form shows them as they change.
struct StepCounts {
    int64_t effectiveBatch = 0; ///< batch_size x accumulation_steps, sequences
    int64_t stepsPerEpoch = 0; ///< the last, smaller group counts
    int64_t totalSteps = 0; ///< the end that comes first: epochs or max_steps
};

/// `sequences` are rows where they are not packed.
StepCounts countSteps(int64_t sequences, const RunConfig& config);

/// Fewer than 20 optimizer steps an epoch, in words with what gives more of them; empty for more.
std::string fewUpdatesText(const StepCounts& counts);

/// Tokens of each row [rows].
std::vector<size_t> lengthsOf(std::span<const TokenRow> rows);

/// A shuffled order brought to batches of similar length, as transformers' get_length_grouped_indices does: chunks of
/// at most 50 effective batches are sorted, longest first, and the longest of all comes first, so that too little
/// memory shows in the first step.
std::vector<size_t> groupedByLength(std::vector<size_t> order, std::span<const size_t> lengths, size_t effectiveBatch);

/// The sequences of one epoch (from 0), given by their lengths, in the order in which they are trained: a function of
/// lengths, seed and epoch alone.
std::vector<size_t> epochOrder(std::span<const size_t> lengths, const RunConfig& config, int64_t epoch);

/// Which rows each optimizer step takes: a function of the rows' lengths and the options alone.
class BatchPlan {
public:
    /// `lengths` [rows], tokens.
    BatchPlan(std::span<const size_t> lengths, const RunConfig& config);

    const StepCounts& counts() const { return m_counts; }
    const std::vector<Sequence>& sequences() const { return m_sequences; }

    /// The micro-batches of an optimizer step (from 0), each a list of sequences. The last group of an epoch may hold
    /// fewer, and no micro-batch is empty. Steps of one epoch after another are cheapest in order.
    std::vector<std::vector<Sequence>> microBatches(int64_t step);

private:
    const RunConfig m_config;
    std::vector<Sequence> m_sequences;
    std::vector<size_t> m_lengths; ///< of the sequences
    StepCounts m_counts;
    std::vector<size_t> m_order; ///< of the epoch m_epoch
    int64_t m_epoch = -1;
};

/// Rows side by side. Slot i belongs to the segment s with segmentStarts[s] <= i < segmentStarts[s + 1]; attention
/// stays inside a segment. Padding slots, where there are any, form segments of their own and have no target.
struct MicroBatch {
    std::vector<int64_t> ids; ///< [slots]
    std::vector<int64_t> positions; ///< [slots], from 0 in each segment
    std::vector<int64_t> targets; ///< [slots], shifted: the id that slot i shall predict, or ignoredLabel
    std::vector<int64_t> segmentStarts; ///< [segments + 1]
    std::vector<int64_t> chosenSegments, rejectedSegments; ///< [pairs], of preference pairs
    int64_t tokens = 0; ///< real tokens
    int64_t supervised = 0; ///< targets that are not ignoredLabel
    int64_t slotsBefore = 0, slotsAfter = 0; ///< of the micro-batch that this is a part of
};

/// Collates sequences of rows. `padId` fills the padding of `longest` and `max_length`, which make sequences equally
/// long; with `none` it is not used.
MicroBatch collate(
    std::span<const TokenRow> rows, std::span<const Sequence> sequences, const RunConfig& config, TokenId padId);

} // namespace tunebench
