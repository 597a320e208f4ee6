#pragma once

#include "core/train/plan_memory.h"

#include <algorithm>

/// Planners that tests know the answers of.
namespace tunebench {

inline constexpr int64_t mebibyte = 1048576;
inline constexpr int patience = 30000;
inline constexpr int longest = 300; // tokens of the longest row

/// Half a MiB a token of the micro-batch, a quarter of it when everything is recomputed, which takes a third longer;
/// numbers of two bytes halve it. More rows at once are faster. Rows below 16 tokens leave nothing.
inline Result<MemoryPlan> planned(const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail)
{
    const RunConfig& config = choice.values;
    if (extents.dataset.empty() || config.maxLength < 16) {
        return failure("No row is left.");
    }
    const int64_t length = std::min<int64_t>(config.maxLength, longest);
    const bool recomputes = config.gradientCheckpointing != GradientCheckpointing::off;
    MemoryPlan plan;
    plan.config = config;
    plan.peakAllocated = config.batchSize * length * mebibyte / (recomputes ? 8 : 2);
    if (config.compute == NumberType::bf16) {
        plan.peakAllocated /= 2;
    }
    plan.secondsPerStep = static_cast<double>(config.accumulationSteps) * (10 + static_cast<double>(config.batchSize))
        * (recomputes ? 1.33 : 1.0);
    if (detail == PlanDetail::all) {
        plan.curve = { { { -1, "embedding", "forward" }, mebibyte, mebibyte },
            { { 0, "attention", "forward" }, 2 * mebibyte, mebibyte },
            { { 0, "attention", "recompute" }, 3 * mebibyte, mebibyte },
            { { 0, "attention", "backward" }, plan.peakAllocated, mebibyte },
            { { -1, "optimizer", "update" }, mebibyte, mebibyte } };
    }
    return plan;
}

/// A MiB a layer for weights, a KiB a layer for each token.
inline Result<MemoryPlan> plannedShape(
    const RunConfig& config, const ModelSpec& spec, const RunExtents& extents, PlanDetail /*detail*/)
{
    int64_t tokens = 0;
    for (const RowExtent& row : extents.dataset) {
        tokens += row.tokens;
    }
    MemoryPlan plan;
    plan.config = config;
    plan.peakAllocated = spec.layers * (mebibyte + tokens * 1024) * (config.method == Method::full ? 4 : 1);
    plan.secondsPerStep = static_cast<double>(tokens) / 512;
    return plan;
}

} // namespace tunebench
