#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace tunebench {

/// The operating system's lock (flock) on the file `lock` of a run folder. It goes with the process that holds it, so a
/// run whose lock nobody holds is not going on, whatever its summary says.
class RunLock {
public:
    /// An error when another holder has it.
    static Result<RunLock> acquire(const std::filesystem::path& run);
    RunLock(RunLock&& other) noexcept;
    RunLock& operator=(RunLock&& other) noexcept;
    ~RunLock();

    /// True when somebody, this process included, holds the lock.
    static bool isHeld(const std::filesystem::path& run);

private:
    explicit RunLock(int file);
    int m_file;
};

} // namespace tunebench
