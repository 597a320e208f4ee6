#pragma once

#include "core/model/model_files.h"
#include "core/runs/metrics.h"
#include "core/train/loss_scaler.h"
#include "core/train/optimizer.h"
#include "core/train/pass.h"

namespace tunebench {

struct PeftAdapter;

/// Everything on the device that a run trains with. Training makes one on the CPU or a GPU; the dry run makes the same
/// one on the meta device.
struct Trainee {
    Decoder decoder;
    Optimizer optimizer;
    LossScaler scaler;
};

/// Makes base tensors, low-rank pairs and optimizer state. With `weights` the base tensors are filled; with `adapter`
/// the pairs come from it, else they are fresh. `config` must have been resolved (no `auto`).
Result<Trainee> makeTrainee(const RunConfig& config, const ModelSpec& spec, const WeightSource* weights,
    const PeftAdapter* adapter, at::Device device);

/// What one optimizer step did.
struct StepOutcome {
    double loss = 0; ///< by the option loss_normalization
    std::optional<PreferenceMetrics> preference; ///< objective dpo; means over the pairs
    double gradNorm = 0; ///< before clipping
    bool skipped = false; ///< gradients overflowed fp16; the loss scale was lowered instead
    bool interrupted = false; ///< goOn() said no; nothing was changed
    int64_t supervisedTokens = 0, tokens = 0, slots = 0;
    PassTimes times;
    double optimizerSeconds = 0;
};

/// One optimizer step over the micro-batches of an accumulation group, or parts of them that follow one another.
/// `goOn` is asked before each. Where an exception ends it (no memory), the weights are as they were unless the
/// optimizer says otherwise, and the step may be done again. A gradient that is not finite (and not to be cured by the
/// loss scale) leaves the weights as they are; the outcome's norm tells.
StepOutcome trainStep(Trainee& trainee, const RunConfig& config, std::span<const MicroBatch> group, double learningRate,
    const std::function<bool()>& goOn);

} // namespace tunebench
