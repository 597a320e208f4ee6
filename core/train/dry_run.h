#pragma once

#include "core/config/run_config.h"
#include "core/data/micro_batches.h"
#include "core/memory/memory_ledger.h"
#include "core/memory/operation_price.h"
#include "core/memory/step_curve.h"
#include "core/model/model_spec.h"

#include <optional>
#include <span>
#include <vector>

namespace tunebench {

/// What the dry run saw.
struct PlannedMemory {
    int64_t peakAllocated = 0; ///< bytes, over making the model and all steps
    int64_t resident = 0; ///< bytes between steps
    MemoryBreakdown atPeak {};
    MemoryPlace place; ///< of the peak
    std::vector<int64_t> microBatchPeaks; ///< bytes, of each micro-batch in order
    std::vector<CurvePoint> curve; ///< of the micro-batch that needs the most, and of the update
    int64_t offloaded = 0; ///< bytes in the computer's memory at most (gradient_checkpointing offload on a card)
    int64_t trainingState = 0; ///< bytes of what is trained and of the optimizer's own: what a checkpoint saves
    std::optional<int64_t> peakReserved; ///< bytes that LibTorch's allocator takes from a CUDA device
};

/// Makes the model on the meta device and runs the given optimizer steps there: the very code that trains, with no
/// numbers. `config` must have been resolved; its device says how sizes are rounded, and need not be there. Rows and
/// order do not matter, shapes do. A prompt of `longestPrompt` tokens is answered first; 0: none. Then come the
/// micro-batches of an evaluation.
Result<PlannedMemory> dryRun(const RunConfig& config, const ModelSpec& spec,
    std::span<const std::vector<MicroBatch>> steps, int64_t longestPrompt = 0,
    std::span<const MicroBatch> evaluation = {});

/// The operations of one step.
struct StepOperations {
    std::vector<OperationCount> microBatch; ///< forward and backward
    std::vector<OperationCount> update; ///< of the optimizer
};

/// What a step of the given micro-batch computes, counted in a dry run.
Result<StepOperations> countOperations(const RunConfig& config, const ModelSpec& spec, const MicroBatch& batch);

/// The peak of making the model and evaluating a micro-batch, bytes.
Result<int64_t> dryEvaluation(const RunConfig& config, const ModelSpec& spec, const MicroBatch& batch);

/// The training steps on a device that refuses more than `bytes`: what was live when it first refused; nothing where
/// all fits.
std::optional<MemoryRefusal> dryRunUntil(
    const RunConfig& config, const ModelSpec& spec, std::span<const std::vector<MicroBatch>> steps, int64_t bytes);

} // namespace tunebench
