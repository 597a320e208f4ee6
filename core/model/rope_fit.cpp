#include "core/model/rope_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tunebench {
namespace {

/// A frequency between the two bounds: s = (context / wavelength - low) / (high - low), and the divisor is
/// 1 / ((1 - s) / factor + s).
struct SmoothPoint {
    double wavelength;
    double smooth;
};

/// What the divisors tell about the bounds.
struct Evidence {
    std::vector<SmoothPoint> between;
    double longestFast = 1; ///< the longest wavelength that is not scaled
    double shortestSlow = 0; ///< the shortest wavelength that is scaled in full; 0: there is none
};

Evidence evidenceOf(std::span<const float> divisors, double factor, double theta, int64_t headSize)
{
    Evidence evidence;
    for (size_t i = 0; i < divisors.size(); ++i) {
        const double wavelength
            = 2 * std::numbers::pi * std::pow(theta, 2 * static_cast<double>(i) / static_cast<double>(headSize));
        const double smooth = (1 / double { divisors[i] } - 1 / factor) / (1 - 1 / factor);
        constexpr double margin = 1e-5;
        if (smooth > 1 - margin)
            evidence.longestFast = wavelength;
        else if (smooth > margin)
            evidence.between.push_back({ wavelength, smooth });
        else if (evidence.shortestSlow == 0)
            evidence.shortestSlow = wavelength;
    }
    return evidence;
}

struct Bounds {
    double highFrequencyFactor;
    double context;
};

/// Bounds that may have been used, the likeliest first: every published model has the factors 1 and 4.
std::vector<Bounds> candidates(const Evidence& evidence)
{
    const auto& between = evidence.between;
    if (between.empty())
        return { { 4, std::sqrt(4 * evidence.longestFast * evidence.shortestSlow) } };
    std::vector<Bounds> bounds { { 4, between.front().wavelength * (1 + 3 * between.front().smooth) } };
    if (between.size() > 1) {
        const auto& [w0, s0] = between.front();
        const auto& [w1, s1] = between.back();
        const double slope = (s1 - s0) / (1 / w1 - 1 / w0); // context / (high - 1)
        const double span = 1 / (slope / w0 - s0); // high - 1
        bounds.push_back({ 1 + span, slope * span });
    }
    return bounds;
}

} // namespace

std::optional<RopeSpec> fitLlama3(std::span<const float> divisors, double theta, int64_t headSize)
{
    if (divisors.empty()
        || std::ranges::any_of(divisors, [](float divisor) { return !(divisor >= 1 && divisor < 1e6F); }))
        return {};
    RopeSpec rope {
        .theta = theta, .scaling = RopeSpec::Scaling::llama3, .factor = *std::ranges::max_element(divisors)
    };
    for (const auto& [high, context] : candidates(evidenceOf(divisors, rope.factor, theta, headSize))) {
        if (!(high > 1 && high < 1e6 && context >= 1 && context < 1e12))
            continue;
        const double nearest = std::round(high * 100) / 100; // float32 took some digits
        rope.highFrequencyFactor = std::abs(nearest - high) < 1e-3 ? nearest : high;
        rope.originalContext = std::llround(context);
        const auto again = ropeDivisors(rope, headSize);
        const bool same = std::ranges::equal(
            again, divisors, [](double ours, float theirs) { return std::abs(ours - theirs) <= 1e-5 * ours; });
        if (same)
            return rope;
    }
    return {};
}

} // namespace tunebench
