#pragma once

#include <chrono>

namespace tunebench {

inline constexpr double secondsAnHour = 3600;

/// Adds the time it lives to a sum of seconds.
class Stopwatch {
public:
    explicit Stopwatch(double& seconds)
        : m_seconds(seconds)
    {
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() { m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count(); }

private:
    double& m_seconds;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

} // namespace tunebench
