#pragma once

#include "core/runs/metrics.h"

#include <optional>
#include <span>
#include <string>

namespace tunebench {

/// Memory that is higher from step to step although the work is the same.
struct MemoryClimb {
    bool allocated = false; ///< tensors are kept; else the process (or the heap, the driver) holds ever more
    int64_t bytesPerStep = 0;
};

/// Whether memory at the end of the steps climbs, that of tensors first: the median of each sixth of the steps is
/// above the one before, by more than the values stray, no single rise makes up most of it, and the second half rises
/// about as much as the first (a heap that fills up slows down). Nothing with fewer than 48 steps.
std::optional<MemoryClimb> memoryClimb(std::span<const StepMetrics> steps);

/// The same in words: by how much a step, and what it means.
std::string memoryClimbText(const MemoryClimb& climb);

/// A card whose memory is full goes on in the computer's memory where the driver allows it, many times slower.
struct MemorySpill {
    int64_t step = 0; ///< of the first step that spilled
    int64_t shared = 0; ///< bytes in the computer's memory, at most
    double slowdown = 1; ///< time a token takes, over that before; 1 where there was nothing before
};

/// Whether the run spills into shared memory, and since when, by the series of dedicated and shared memory and the time
/// a token takes: shared memory rises while dedicated memory stands at its highest, and steps become slower; or, from
/// the first step on, a good part of all device memory is shared. Nothing where no shared memory is told.
std::optional<MemorySpill> memorySpill(std::span<const StepMetrics> steps);

/// The same in words, with the remedy.
std::string memorySpillText(const MemorySpill& spill);

} // namespace tunebench
