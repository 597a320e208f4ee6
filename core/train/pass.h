#pragma once

#include "core/config/run_config.h"
#include "core/data/micro_batches.h"
#include "core/model/decoder.h"

#include <functional>
#include <string>

namespace tunebench {

/// Wall time of the parts of a pass, seconds.
struct PassTimes {
    double forward = 0;
    double backward = 0; ///< recompute in it
    double recompute = 0;
};

/// Forward and backward over one micro-batch: adds d(gradientScale * sum of losses) to the gradients of what is
/// trained, adds its times to `times`, and returns sums over the micro-batch (fp64, on the device): that of the token
/// losses, [1]; for preference pairs what PreferencePairs::Loss says, [4]. The micro-batch must have at least one
/// target.
at::Tensor trainingPass(
    Decoder& decoder, const MicroBatch& batch, const RunConfig& config, double gradientScale, PassTimes& times);

/// Forward only: the same sums. The decoder is as it was afterwards; its adapter is off for a part of the pass over
/// preference pairs.
at::Tensor evaluationPass(Decoder& decoder, const MicroBatch& batch, const RunConfig& config);

/// Forward only, telling of each tensor on the way in the order of computing: what it is, and the tensor.
void watchedPass(Decoder& decoder, const MicroBatch& batch, const RunConfig& config,
    const std::function<void(const std::string& what, const at::Tensor& tensor)>& watch);

} // namespace tunebench
