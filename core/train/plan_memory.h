#pragma once

#include "core/base/result.h"
#include "core/config/options.h"
#include "core/data/dataset.h"

#include <cstdint>
#include <span>

namespace tunebench {

/// The most memory that a run would hold at once, bytes as `peak_allocated` counts them: the training step itself, run
/// dry on the micro-batches of the run that are extreme (most tokens, the longest row, most supervised tokens).
/// `extents` are those of all usable rows of the dataset, before truncation; the rows that eval_share holds out are
/// left out as the run leaves them out. `auto` options are resolved as training resolves them. An error when the model
/// cannot be opened or no row is left to train on. Takes some milliseconds beside opening the model's header.
Result<int64_t> planPeakMemory(const ConfigChoice& choice, std::span<const RowExtent> extents);

} // namespace tunebench
