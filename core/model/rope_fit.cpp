#include "core/model/rope_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tunebench {
namespace {

/// A value that is almost whole was whole before it went through float32.
double whole(double value)
{
    return std::abs(value - std::round(value)) < 1e-2 * std::max(1.0, std::abs(value)) * 1e-2 ? std::round(value)
                                                                                              : value;
}

} // namespace

std::optional<RopeSpec> fitLlama3(std::span<const float> divisors, double theta, int64_t headSize)
{
    if (divisors.empty())
        return {};
    RopeSpec rope {
        .theta = theta, .scaling = RopeSpec::Scaling::llama3, .factor = *std::ranges::max_element(divisors)
    };
    // Between the two bounds, s = (context / wavelength - low) / (high - low) is a line in 1 / wavelength, and the
    // divisor is 1 / ((1 - s) / factor + s). Two points give the line.
    std::vector<std::pair<double, double>> points;
    for (size_t i = 0; i < divisors.size(); ++i) {
        const double smooth = (1 / double { divisors[i] } - 1 / rope.factor) / (1 - 1 / rope.factor);
        const double exponent = 2 * static_cast<double>(i) / static_cast<double>(headSize);
        if (smooth > 1e-4 && smooth < 1 - 1e-4)
            points.emplace_back(1 / (2 * std::numbers::pi * std::pow(theta, exponent)), smooth);
    }
    if (points.size() >= 2) {
        const auto [x0, y0] = points.front();
        const auto [x1, y1] = points.back();
        const double slope = (y1 - y0) / (x1 - x0);
        const double span = 1 / (slope * x0 - y0); // high - low, with low = 1
        rope.highFrequencyFactor = whole(1 + span);
        rope.originalContext = std::llround(slope * (rope.highFrequencyFactor - 1));
    } else {
        rope.originalContext = 8192;
    }
    if (!(rope.highFrequencyFactor > 1 && rope.originalContext > 0 && std::isfinite(rope.factor) && rope.factor > 0))
        return {};
    const auto again = ropeDivisors(rope, headSize);
    const bool same = again.size() == divisors.size()
        && std::ranges::equal(again, divisors, [](double a, float b) { return std::abs(a - b) <= 1e-5 * std::abs(a); });
    return same ? std::optional(rope) : std::nullopt;
}

} // namespace tunebench
