#include "core/model/rope_spec.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace tunebench {
namespace {

using Scaling = RopeSpec::Scaling;

bool isPositive(double value)
{
    return value > 0 && std::isfinite(value);
}

std::vector<double> llama3Divisors(const RopeSpec& rope, int64_t size)
{
    std::vector<double> divisors;
    const auto context = static_cast<double>(rope.originalContext);
    for (int64_t i = 0; i < size / 2; ++i) {
        const double exponent = 2 * static_cast<double>(i) / static_cast<double>(size);
        const double wavelength = 2 * std::numbers::pi * std::pow(rope.theta, exponent); // tokens
        // 0: slower than the low frequency bound; 1: faster than the high one.
        const double smooth = std::clamp(
            (context / wavelength - rope.lowFrequencyFactor) / (rope.highFrequencyFactor - rope.lowFrequencyFactor),
            0.0, 1.0);
        divisors.push_back(1 / ((1 - smooth) / rope.factor + smooth));
    }
    return divisors;
}

std::vector<double> yarnDivisors(const RopeSpec& rope, int64_t size)
{
    const auto dimensions = static_cast<double>(size);
    // The dimension whose frequency turns so many times within the original context.
    const auto dimensionOf = [&](double rotations) {
        return dimensions * std::log(static_cast<double>(rope.originalContext) / (rotations * 2 * std::numbers::pi))
            / (2 * std::log(rope.theta));
    };
    double low = dimensionOf(rope.betaFast);
    double high = dimensionOf(rope.betaSlow);
    if (rope.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, dimensions - 1);
    if (low == high)
        high += 0.001; // as transformers does
    std::vector<double> divisors;
    for (int64_t i = 0; i < size / 2; ++i) {
        const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
        divisors.push_back(1 / (ramp / rope.factor + (1 - ramp)));
    }
    return divisors;
}

} // namespace

int64_t rotatedSize(const RopeSpec& rope, int64_t headSize)
{
    return static_cast<int64_t>(static_cast<double>(headSize) * rope.rotatedShare);
}

Result<void> checkRopeSpec(const RopeSpec& rope, int64_t headSize, std::string_view where)
{
    const std::string place(where);
    if (!(rope.theta > 1 && std::isfinite(rope.theta)) || !isPositive(rope.factor) || !isPositive(rope.attentionFactor))
        return failure(place + " has an impossible rope theta, rope factor or attention factor.");
    if (!(rope.rotatedShare > 0 && rope.rotatedShare <= 1) || rotatedSize(rope, headSize) % 2 != 0
        || rotatedSize(rope, headSize) == 0)
        return failure(place + " has a partial_rotary_factor that rotates no even part of its heads.");
    if (rope.scaling == Scaling::none || rope.scaling == Scaling::linear)
        return {};
    if (rope.originalContext <= 0 || rope.originalContext > int64_t { 1 } << 40)
        return failure(place + " has an impossible original_max_position_embeddings.");
    if (rope.scaling == Scaling::llama3
        && !(rope.highFrequencyFactor > rope.lowFrequencyFactor && rope.lowFrequencyFactor > 0))
        return failure(place + " has llama3 rope numbers that do not fit one another.");
    if (rope.scaling == Scaling::yarn
        && !(isPositive(rope.betaSlow) && rope.betaFast >= rope.betaSlow && std::isfinite(rope.betaFast)))
        return failure(place + " has yarn rope numbers that do not fit one another.");
    const auto frequencies = static_cast<size_t>(rotatedSize(rope, headSize) / 2);
    for (const auto* factors : { &rope.shortFactors, &rope.longFactors }) {
        if (rope.scaling == Scaling::longrope
            && (factors->size() != frequencies || !std::ranges::all_of(*factors, isPositive)))
            return failure(place + " has longrope factors that are not " + std::to_string(frequencies)
                + " positive numbers, one for each frequency.");
    }
    return {};
}

std::vector<double> ropeDivisors(const RopeSpec& rope, int64_t headSize, bool beyondOriginal)
{
    const int64_t size = rotatedSize(rope, headSize);
    switch (rope.scaling) {
    case Scaling::llama3:
        return llama3Divisors(rope, size);
    case Scaling::yarn:
        return yarnDivisors(rope, size);
    case Scaling::longrope:
        return beyondOriginal ? rope.longFactors : rope.shortFactors;
    case Scaling::linear:
    case Scaling::none:
        break;
    }
    return std::vector<double>(static_cast<size_t>(size / 2), rope.scaling == Scaling::linear ? rope.factor : 1.0);
}

double yarnAttentionFactor(double factor, double scale)
{
    return factor <= 1 ? 1 : 0.1 * scale * std::log(factor) + 1;
}

double longropeAttentionFactor(double factor, int64_t originalContext)
{
    return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(static_cast<double>(originalContext)));
}

} // namespace tunebench
