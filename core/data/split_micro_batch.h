#pragma once

#include "core/data/micro_batches.h"

#include <optional>
#include <utility>

namespace tunebench {

/// Tokens of each row of a micro-batch (of each answer of a pair); segments without a target, such as padding, do not
/// count.
std::vector<int64_t> rowLengths(const MicroBatch& batch);

/// The rows, or pairs, that a micro-batch was collated from: as long, with the same tokens and targets.
std::vector<TokenRow> rowsOf(const MicroBatch& batch);

/// A micro-batch cut between two rows, or two pairs, near the middle of their number; its slots stay as they are,
/// padding (on the given side of a row) included. Each part has a target. Nothing for a single row or pair.
std::optional<std::pair<MicroBatch, MicroBatch>> halved(const MicroBatch& batch, PaddingSide side);

} // namespace tunebench
