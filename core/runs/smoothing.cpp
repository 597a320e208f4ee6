#include "core/runs/smoothing.h"

#include <algorithm>
#include <cmath>

namespace tunebench {

Smoother::Smoother(double weight)
    : m_weight(std::clamp(weight, 0.0, 0.9999))
{
}

SmoothedPoint Smoother::add(double raw)
{
    if (std::isfinite(raw)) {
        m_remaining *= m_weight;
        m_mean = m_weight * m_mean + (1 - m_weight) * raw;
        const double residual = raw - m_mean / (1 - m_remaining);
        m_square = m_weight * m_square + (1 - m_weight) * residual * residual;
    }
    const double share = 1 - m_remaining;
    return share > 0 ? SmoothedPoint { m_mean / share, std::sqrt(m_square / share) } : SmoothedPoint {};
}

std::vector<SmoothedPoint> smooth(std::span<const double> raw, double weight)
{
    Smoother smoother(weight);
    std::vector<SmoothedPoint> points;
    points.reserve(raw.size());
    for (const double value : raw) {
        points.push_back(smoother.add(value));
    }
    return points;
}

LossNoise::LossNoise(int64_t skip)
    : m_skip(skip)
{
}

void LossNoise::add(double loss)
{
    const SmoothedPoint point = m_smoother.add(loss);
    if (!std::isfinite(loss) || m_skip-- > 0) {
        return;
    }
    const double residual = loss - point.value;
    const double distance = residual - m_mean;
    m_mean += distance / static_cast<double>(++m_count);
    m_squares += distance * (residual - m_mean);
}

std::optional<double> LossNoise::value() const
{
    return m_count < 2 ? std::nullopt : std::optional(std::sqrt(m_squares / static_cast<double>(m_count - 1)));
}

} // namespace tunebench
