#include "core/train/courtesy.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace tunebench {
namespace {

using SteadyClock = std::chrono::steady_clock;

double steadySeconds()
{
    return std::chrono::duration<double>(SteadyClock::now().time_since_epoch()).count();
}

} // namespace

CourtesyRule courtesyRule(Courtesy courtesy)
{
    switch (courtesy) {
    case Courtesy::off:
        return {};
    case Courtesy::low:
        return { .share = 0.1, .niceness = 5 };
    case Courtesy::high:
        return { .share = 0.4, .niceness = 10 };
    }
    return {};
}

CourtesyPauses::CourtesyPauses(double share, Wait wait)
    : CourtesyPauses(share, std::move(wait), steadySeconds)
{
}

CourtesyPauses::CourtesyPauses(double share, Wait wait, Clock clock)
    : m_share(share)
    , m_wait(std::move(wait))
    , m_clock(std::move(clock))
{
    begin();
}

void CourtesyPauses::pause()
{
    if (m_share <= 0)
        return;
    const double done = m_clock();
    m_wait(m_share * (done - m_begun));
    m_begun = m_clock();
    m_seconds += m_begun - done;
}

void waitFor(double seconds, const std::stop_token& stop, const std::function<bool()>& ends)
{
    constexpr auto between = std::chrono::milliseconds(20);
    const auto end = SteadyClock::now()
        + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (SteadyClock::now() < end && !stop.stop_requested() && !ends())
        never.wait_until(lock, stop, std::min(end, SteadyClock::now() + between), [] { return false; });
}

} // namespace tunebench
