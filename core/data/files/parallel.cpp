#include "core/data/files/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tunebench {

void parallelFor(size_t count, size_t threads, const std::function<void(size_t)>& body)
{
    std::atomic<size_t> next = 0;
    std::exception_ptr failed;
    std::mutex guard;
    const auto work = [&] {
        try {
            for (size_t i = next++; i < count; i = next++)
                body(i);
        } catch (...) {
            next = count;
            const std::scoped_lock lock(guard);
            failed = std::current_exception();
        }
    };
    {
        const size_t wanted = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
        std::vector<std::jthread> helpers;
        for (size_t i = 1; i < std::min(wanted, count); ++i)
            helpers.emplace_back(work);
        work();
    }
    if (failed)
        std::rethrow_exception(failed);
}

} // namespace tunebench
