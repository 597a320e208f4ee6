#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tunebench {

/// A smoothed value and how far the raw values stray from it.
struct SmoothedPoint {
    double value = 0;
    double noise = 0; ///< moving standard deviation of raw minus smoothed; the band is value +- noise
};

/// Exponential moving average with bias correction, the formula of TensorBoard's smoothing:
///     m_t = w m_{t-1} + (1 - w) x_t,   m_0 = 0,   smoothed_t = m_t / (1 - w^t)
/// and, with the same weights, noise_t = sqrt of the moving average of (x - smoothed)^2.
class Smoother {
public:
    static constexpr double defaultWeight = 0.9;

    /// `weight` in [0, 1); 0 smooths nothing.
    explicit Smoother(double weight = defaultWeight);

    /// Takes the next raw value. One that is not finite changes nothing.
    SmoothedPoint add(double raw);

private:
    double m_weight;
    double m_remaining = 1; // w^t
    double m_mean = 0;
    double m_square = 0;
};

/// All points at once.
std::vector<SmoothedPoint> smooth(std::span<const double> raw, double weight = Smoother::defaultWeight);

/// Standard deviation (n - 1) of raw minus smoothed loss over the values after the first `skip`, which are smoothed as
/// well but not counted.
class LossNoise {
public:
    explicit LossNoise(int64_t skip);
    void add(double loss);
    std::optional<double> value() const; ///< absent before two values are counted

private:
    Smoother m_smoother;
    int64_t m_skip;
    int64_t m_count = 0;
    double m_mean = 0;
    double m_squares = 0; // sum of squared distances from the mean (Welford)
};

} // namespace tunebench
