#pragma once

#include <optional>

namespace tunebench {

/// When training has to wait for the card to cool: from above `most` on until it is 5 degrees below, so that it does
/// not stop and go at every step. Degrees Celsius.
class Cooling {
public:
    explicit Cooling(std::optional<double> most)
        : m_most(most)
    {
    }

    /// Takes the temperature of now. One that nobody tells never makes anybody wait.
    bool mustWait(std::optional<double> temperature)
    {
        constexpr double coolerBy = 5;
        if (!m_most || !temperature)
            return m_waiting = false;
        return m_waiting = *temperature > (m_waiting ? *m_most - coolerBy : *m_most);
    }

private:
    std::optional<double> m_most;
    bool m_waiting = false;
};

} // namespace tunebench
