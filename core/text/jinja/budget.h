#pragma once

#include <cstddef>
#include <cstdint>

namespace tunebench::jinja {

/// Counts the work of one render and throws TemplateFailure when it is over a bound. A step is about a node of the
/// template, or a few thousand bytes of text; what steps do not see is caught by the time.
class Budget {
public:
    Budget();

    void charge(size_t steps)
    {
        m_steps += steps;
        if (m_steps >= m_nextLook) {
            look();
        }
    }

private:
    void look();

    static constexpr size_t maxSteps = 10'000'000;
    static constexpr size_t stepsBetweenLooks = 256;
    static constexpr int64_t maxSeconds = 1; ///< of this thread's processor time, so that a busy machine fails nothing

    size_t m_steps = 0;
    size_t m_nextLook = stepsBetweenLooks;
    int64_t m_end; ///< nanoseconds
};

} // namespace tunebench::jinja
