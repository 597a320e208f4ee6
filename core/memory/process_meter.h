#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tunebench {

/// This process as the operating system sees it.
struct ProcessReading {
    int64_t resident = 0; ///< bytes
    int64_t peakResident = 0; ///< bytes, of its life or since resetPeakResident()
    double cpuSeconds = 0; ///< user and system, all threads
};
ProcessReading readProcess();

/// From now on peakResident is counted anew (Linux 4.0 and later; without that it stays the peak of the whole life).
void resetPeakResident();

/// Physical memory of the machine and what of it is free for programs, bytes.
struct HostMemory {
    int64_t total = 0;
    int64_t available = 0;
};
HostMemory readHostMemory();

/// Model name of the processor.
std::string processorName();

/// A program that is running, all of its processes together.
struct ProgramMemory {
    std::string name;
    int processes = 0;
    int64_t bytes = 0; ///< that closing it would give back
};

/// The name of a process ("firefox"); empty when there is none of this number. `proc` is the system's /proc.
std::string processName(int64_t process, const std::filesystem::path& proc = "/proc");

/// The programs other than this process with the most memory of their own (resident, not shared and not of files), the
/// largest first, `most` of them. Programs of users whose figures the system keeps to itself are left out.
std::vector<ProgramMemory> otherPrograms(size_t most, const std::filesystem::path& proc = "/proc");

/// Processes with their bytes, joined by name: the largest programs first, `most` of them.
std::vector<ProgramMemory> largestPrograms(std::span<const ProgramMemory> processes, size_t most);

} // namespace tunebench
