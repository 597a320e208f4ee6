#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tunebench {

/// How positions turn into rotation angles (transformers, modeling_rope_utils.py).
struct RopeSpec {
    enum class Scaling { none, linear, llama3, yarn, longrope };
    double theta = 10000;
    Scaling scaling = Scaling::none;
    double factor = 1; ///< linear, llama3, yarn
    double lowFrequencyFactor = 1; ///< llama3
    double highFrequencyFactor = 4; ///< llama3
    int64_t originalContext = 0; ///< llama3, yarn, longrope: original_max_position_embeddings
    double betaFast = 32, betaSlow = 1; ///< yarn: rotations within the original context that bound the ramp
    bool truncate = true; ///< yarn: the ramp begins and ends at whole dimensions
    std::vector<double> shortFactors, longFactors; ///< longrope: divisors within the original context and beyond it
    double attentionFactor = 1; ///< yarn, longrope: cosines and sines are multiplied by it
    double rotatedShare = 1; ///< partial_rotary_factor: the part of each head that is rotated
    bool operator==(const RopeSpec&) const = default;
};

/// Numbers of each head that are rotated, from its first on.
int64_t rotatedSize(const RopeSpec& rope, int64_t headSize);

/// Numbers that are possible and fit one another; `where` begins the sentence.
Result<void> checkRopeSpec(const RopeSpec& rope, int64_t headSize, std::string_view where);

/// By how much each of the rotatedSize / 2 rotation frequencies is divided (ones where nothing is scaled): llama3, yarn
/// and longrope as transformers' _compute_..._parameters, llama3 also as llama.cpp's converter writes
/// rope_freqs.weight. `beyondOriginal`: for sequences longer than the original context, which only longrope tells
/// apart.
std::vector<double> ropeDivisors(const RopeSpec& rope, int64_t headSize, bool beyondOriginal = false);

/// transformers' usual attention factor of yarn: 0.1 scale ln(factor) + 1, or 1 where the factor does not stretch.
double yarnAttentionFactor(double factor, double scale = 1);

/// transformers' usual attention factor of longrope, given by how much the context was stretched.
double longropeAttentionFactor(double factor, int64_t originalContext);

} // namespace tunebench
