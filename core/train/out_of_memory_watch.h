#pragma once

#include "core/data/micro_batches.h"
#include "core/runs/out_of_memory.h"
#include "core/train/run_inputs.h"

#include <ATen/core/Tensor.h>
#include <exception>
#include <optional>
#include <utility>

namespace tunebench {

/// What a run is doing: for saying when memory ran out.
struct RunMoment {
    OutOfMemoryPhase phase = OutOfMemoryPhase::load;
    int64_t step = 0; ///< as in the report
    std::optional<MicroBatch> batch {}; ///< at work
};

/// Whether memory ran out, on whichever device.
bool isOutOfMemory(const std::exception& error);

/// The facts that only the moment knows; to be called where the exception is caught. LibTorch's allocator for CUDA
/// knows no categories: there they are those of the micro-batch's dry run up to what was allocated.
OutOfMemoryReport describeOutOfMemory(
    const std::exception& error, const RunMoment& moment, at::Device device, const RunModel& run);

/// The halves of a micro-batch, where memory ran out and on_out_of_memory is `split`; else (a single row, another
/// exception) the exception goes on. To be called where it is caught.
std::pair<MicroBatch, MicroBatch> splitOrRethrow(
    const std::exception& error, const MicroBatch& batch, at::Device device, const RunConfig& config);

/// Adds what takes a while, with plans of its own: the planned peak and the remedies. To be called when the run has
/// given its memory back, with the moment at which it ended.
void explainOutOfMemory(OutOfMemoryReport& report, const RunMoment& moment, const RunModel& run);

} // namespace tunebench
