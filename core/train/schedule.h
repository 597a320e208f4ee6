#pragma once

#include "core/config/run_config.h"

namespace tunebench {

/// Steps of warm-up: `warmup_steps` where set, else ceil(warmup_ratio x total steps).
int64_t warmupSteps(const RunConfig& config, int64_t totalSteps);

/// The learning rate of optimizer step `step` (from 0) of `totalSteps`: the base rate times transformers' lambda
/// (transformers, optimization.py). Warm-up starts at 0.
double learningRateAt(const RunConfig& config, int64_t step, int64_t totalSteps);

} // namespace tunebench
