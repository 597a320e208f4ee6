#pragma once

#include "core/config/run_config.h"
#include "core/data/micro_batches.h"
#include "core/memory/memory_ledger.h"
#include "core/model/model_spec.h"

#include <span>

namespace tunebench {

/// What the dry run saw.
struct PlannedMemory {
    int64_t peakAllocated = 0; ///< bytes, over making the model and all steps
    int64_t resident = 0; ///< bytes between steps
    MemoryBreakdown atPeak {};
    MemoryPlace place; ///< of the peak
};

/// Makes the model on the meta device and runs the given optimizer steps there: the very code that trains, with no
/// numbers. `config` must have been resolved; rows and order do not matter, shapes do.
Result<PlannedMemory> dryRun(
    const RunConfig& config, const ModelSpec& spec, std::span<const std::vector<MicroBatch>> steps);

} // namespace tunebench
