#pragma once

#include <cmath>
#include <cstdint>

namespace tunebench {

/// The factor that keeps small gradients of fp16 products above zero (as torch.amp.GradScaler): halved when a gradient
/// overflows, doubled after 2,000 steps without. For other types it is 1 and stays so.
class LossScaler {
public:
    explicit LossScaler(bool used, double start)
        : m_used(used)
        , m_scale(used ? start : 1)
    {
    }

    bool used() const { return m_used; }
    double scale() const { return m_scale; }
    int64_t goodSteps() const { return m_goodSteps; } ///< since the scale last changed

    /// Goes on as a scaler that stood so.
    void restore(double scale, int64_t goodSteps)
    {
        m_scale = m_used ? scale : 1;
        m_goodSteps = goodSteps;
    }

    /// Takes the gradient norm of a step; true when the optimizer may step.
    bool accept(double gradientNorm)
    {
        if (!m_used)
            return true;
        if (!std::isfinite(gradientNorm)) {
            m_scale /= 2;
            m_goodSteps = 0;
            return false;
        }
        if (++m_goodSteps == growthInterval) {
            m_scale *= 2;
            m_goodSteps = 0;
        }
        return true;
    }

private:
    static constexpr int64_t growthInterval = 2000;
    bool m_used;
    double m_scale;
    int64_t m_goodSteps = 0;
};

} // namespace tunebench
