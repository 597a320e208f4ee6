#pragma once

#include <cstdint>
#include <optional>

namespace tunebench {

/// This process as the operating system sees it.
struct ProcessReading {
    int64_t resident = 0; ///< bytes
    int64_t peakResident = 0; ///< bytes
    double cpuSeconds = 0; ///< user and system, all threads
};
ProcessReading readProcess();

/// Physical memory of the machine and what of it is free for programs, bytes.
struct HostMemory {
    int64_t total = 0;
    int64_t available = 0;
};
HostMemory readHostMemory();

} // namespace tunebench
