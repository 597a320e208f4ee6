#include "core/runs/run_lock.h"

#include "core/base/system_reason.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tunebench {

RunLock::RunLock(int file)
    : m_file(file)
{
}

RunLock::RunLock(RunLock&& other) noexcept
    : m_file(std::exchange(other.m_file, -1))
{
}

RunLock& RunLock::operator=(RunLock&& other) noexcept
{
    std::swap(m_file, other.m_file);
    return *this;
}

RunLock::~RunLock()
{
    if (m_file >= 0) {
        ::close(m_file);
    }
}

Result<RunLock> RunLock::acquire(const std::filesystem::path& run)
{
    const auto path = run / "lock";
    RunLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (lock.m_file < 0) {
        return failure("Cannot write " + path.string() + ": " + systemReason(errno) + ".", Fault::work);
    }
    // isHeld() of another program holds a shared lock for some microseconds.
    constexpr int tries = 10;
    for (int i = 0; ::flock(lock.m_file, LOCK_EX | LOCK_NB) != 0; ++i) {
        if (i == tries) {
            return failure("The run " + run.string() + " is going on; stop it first.");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return lock;
}

bool RunLock::isHeld(const std::filesystem::path& run)
{
    const RunLock probe(::open((run / "lock").c_str(), O_RDONLY | O_CLOEXEC));
    return probe.m_file >= 0 && ::flock(probe.m_file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace tunebench
