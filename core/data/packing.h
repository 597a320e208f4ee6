#pragma once

#include "core/config/run_config.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tunebench {

/// What fills one place of a batch, as row indexes: one row, or with `packing` several that stay apart in attention and
/// positions.
using Sequence = std::vector<size_t>;

/// The sequences of rows with the given lengths [rows], tokens. Without `packing` each row is its own. With it no
/// sequence is longer than `max_length`: with `order: sequential` each takes as many rows as fit before the next
/// begins; otherwise rows go, the longest first, where they leave the least room (best fit decreasing, as TRL's `bfd`).
std::vector<Sequence> makeSequences(std::span<const size_t> lengths, const RunConfig& config);

} // namespace tunebench
