#pragma once

#include "core/base/result.h"
#include "core/config/options.h"
#include "core/data/dataset.h"
#include "core/data/micro_batches.h"
#include "core/memory/memory_ledger.h"

#include <cstdint>
#include <span>

namespace tunebench {

/// What a run would need.
struct MemoryPlan {
    int64_t peakAllocated = 0; ///< bytes, over load and all steps, as the metrics' peak_allocated
    int64_t resident = 0; ///< bytes between steps
    MemoryBreakdown atPeak {}; ///< adds up to the peak
    MemoryPlace place; ///< of the peak
    int64_t limit = 0; ///< bytes that the options allow (limitBytes); 0: no limit
    RunConfig config; ///< as resolved
    StepCounts counts;

    bool fits() const { return limit == 0 || peakAllocated <= limit; }
};

/// The lengths of the rows that a run with these options reads, before truncation; encoded ones are kept from time to
/// time. `spec` gives the vocabulary.
Result<std::vector<RowExtent>> datasetExtents(const RunConfig& config, int64_t vocabularySize);

/// The most memory that a run would hold at once, bytes as `peak_allocated` counts them: the training step itself, run
/// dry on the micro-batches of the run that are extreme (most tokens, the longest row, most supervised tokens).
/// `extents` are those of all usable rows of the dataset, before truncation; the rows that eval_share holds out are
/// left out as the run leaves them out. `auto` options are resolved as training resolves them. An error when the model
/// cannot be opened or no row is left to train on. Takes some milliseconds beside opening the model's header.
Result<MemoryPlan> planMemory(const ConfigChoice& choice, std::span<const RowExtent> extents);

} // namespace tunebench
