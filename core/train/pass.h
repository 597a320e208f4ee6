#pragma once

#include "core/data/micro_batches.h"
#include "core/model/decoder.h"

namespace tunebench {

/// Which activations are kept for the backward pass: all of them, or only the input of every k-th layer, the rest being
/// computed again.
struct RecomputePlan {
    int64_t everyLayers = 0; ///< 0: keep all
};

/// Wall time of the parts of a pass, seconds.
struct PassTimes {
    double forward = 0;
    double backward = 0; ///< recompute in it
    double recompute = 0;
};

/// Forward and backward over one micro-batch: adds d(gradientScale * sum of token losses) to the gradients of what is
/// trained, adds its times to `times`, and returns the sum of token losses (a scalar, fp64, on the device). The
/// micro-batch must have at least one target.
at::Tensor trainingPass(
    Decoder& decoder, const MicroBatch& batch, double gradientScale, RecomputePlan recompute, PassTimes& times);

/// Forward only: the sum of token losses.
at::Tensor evaluationPass(const Decoder& decoder, const MicroBatch& batch);

} // namespace tunebench
