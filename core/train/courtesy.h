#pragma once

#include "core/config/run_config.h"

#include <functional>
#include <stop_token>

namespace tunebench {

/// What the option costs and asks for.
struct CourtesyRule {
    double share = 0; ///< pauses, as a share of the time of the work before each
    int niceness = 0; ///< added to that of the threads that compute on the processor
};
CourtesyRule courtesyRule(Courtesy courtesy);

/// Pauses between pieces of work, each a share of the time that the piece took.
class CourtesyPauses {
public:
    /// Waits so many seconds, or less where something else is asked for.
    using Wait = std::function<void(double seconds)>;
    using Clock = std::function<double()>; ///< seconds since some moment

    CourtesyPauses(double share, Wait wait);
    CourtesyPauses(double share, Wait wait, Clock clock);

    /// A piece begins.
    void begin() { m_begun = m_clock(); }
    /// A piece is done, and after the pause the next begins.
    void pause();
    /// Seconds spent in all pauses.
    double seconds() const { return m_seconds; }

private:
    double m_share;
    Wait m_wait;
    Clock m_clock;
    double m_begun = 0;
    double m_seconds = 0;
};

/// Waits so many seconds, less where `stop` is asked for or `ends` says yes; it is asked every few milliseconds.
void waitFor(double seconds, const std::stop_token& stop, const std::function<bool()>& ends);

} // namespace tunebench
