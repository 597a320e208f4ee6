#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tunebench {
namespace {

/// Of inverse_sqrt without warm-up, steps.
constexpr double usualTimescale = 10000;

/// From 1 at progress 0 to 0 at progress 1.
double halfCosine(double progress)
{
    return std::max(0.0, 0.5 * (1 + std::cos(std::numbers::pi * progress)));
}

} // namespace

int64_t warmupSteps(const RunConfig& config, int64_t totalSteps)
{
    if (config.warmupSteps > 0)
        return config.warmupSteps;
    return static_cast<int64_t>(std::ceil(config.warmupRatio * static_cast<double>(totalSteps)));
}

double learningRateAt(const RunConfig& config, int64_t step, int64_t totalSteps)
{
    const int64_t warmup = warmupSteps(config, totalSteps);
    if (step < warmup)
        return config.learningRate * static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, warmup));
    const double rest = static_cast<double>(std::max<int64_t>(1, totalSteps - warmup));
    const double progress = static_cast<double>(step - warmup) / rest;
    switch (config.scheduler) {
    case Scheduler::constant:
        return config.learningRate;
    case Scheduler::linear:
        return config.learningRate * std::max(0.0, 1 - progress);
    case Scheduler::cosine:
        return config.learningRate * halfCosine(progress);
    case Scheduler::cosineRestarts: {
        const double cycles = static_cast<double>(config.schedulerCycles) * progress;
        return progress < 1 ? config.learningRate * halfCosine(cycles - std::floor(cycles)) : 0;
    }
    case Scheduler::polynomial:
        return config.learningRateEnd
            + (config.learningRate - config.learningRateEnd)
            * std::pow(std::max(0.0, 1 - progress), config.schedulerPower);
    case Scheduler::inverseSqrt: {
        const double timescale = warmup > 0 ? static_cast<double>(warmup) : usualTimescale;
        return config.learningRate / std::sqrt((static_cast<double>(step - warmup) + timescale) / timescale);
    }
    }
    return config.learningRate;
}

} // namespace tunebench
