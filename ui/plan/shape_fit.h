#pragma once

#include "ui/base/run_planner.h"

#include <optional>
#include <stop_token>
#include <string>

namespace tunebench {

/// What a model of some shape can be trained with.
struct ShapeFit {
    static constexpr int64_t usualLength = 512; ///< tokens
    static constexpr int64_t mostLength = 32768; ///< tokens; hardly anybody has longer rows

    int64_t longest = 0; ///< tokens of a row that is trained alone (of a pair: both as long), a multiple of 64; 0: none
    bool isMost = false; ///< the model's context, or mostLength
    int64_t rows = 0; ///< or pairs, of usualLength at once, a power of two; 0: none
    std::optional<int64_t> least; ///< bytes that one row, or pair, of usualLength needs
    std::optional<double> secondsPerRow; ///< or pair, of usualLength, with so many at once
    std::optional<double> tokensPerSecond; ///< the same
    bool isAtBest = false; ///< these two are what a card's published speeds allow (MemoryPlan::secondsAtBest)
    std::string noTime; ///< why there are none that were measured
    std::string problem; ///< why nothing could be planned
};

/// Finds it by plans over full rows, or pairs of two full rows with objective dpo. `config` is resolved; its data,
/// batch and length do not count. `limit` in bytes.
ShapeFit findShapeFit(
    const ShapePlanner& planner, RunConfig config, const ModelSpec& spec, int64_t limit, const std::stop_token& stop);

} // namespace tunebench
