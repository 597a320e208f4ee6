#include "core/text/jinja/budget.h"

#include "core/text/jinja/value.h"

#include <ctime>

namespace tunebench::jinja {

namespace {

constexpr int64_t second = 1'000'000'000;

int64_t processorTime()
{
    timespec time {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<int64_t>(time.tv_sec) * second + time.tv_nsec;
}

} // namespace

Budget::Budget()
    : m_end(processorTime() + maxSeconds * second)
{
}

void Budget::look()
{
    m_nextLook = m_steps + stepsBetweenLooks;
    if (m_steps > maxSteps)
        throw TemplateFailure("the template takes more than " + std::to_string(maxSteps) + " steps");
    if (processorTime() > m_end)
        throw TemplateFailure("the template takes more than " + std::to_string(maxSeconds) + " second");
}

} // namespace tunebench::jinja
