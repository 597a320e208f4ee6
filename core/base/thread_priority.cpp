#include "core/base/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace tunebench {

void lowerThreadPriority(int by)
{
    if (by <= 0)
        return;
    const auto thread = static_cast<id_t>(::gettid()); // on Linux a thread has a nice value of its own
    static_cast<void>(::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + by));
}

} // namespace tunebench
