#include "core/memory/process_meter.h"

#include "core/base/files.h"

#include "core/config/number_text.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sys/resource.h>
#include <unistd.h>

namespace tunebench {

namespace {

/// The whole number that follows `label` in a text of /proc, or 0.
int64_t numberAfter(std::string_view text, std::string_view label)
{
    const size_t place = text.find(label);
    if (place == std::string_view::npos) {
        return 0;
    }
    text.remove_prefix(place + label.size());
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

constexpr int64_t kilobyte = 1024; // what /proc calls kB

double secondsOf(const timeval& time)
{
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

} // namespace

ProcessReading readProcess()
{
    ProcessReading reading;
    // statm: size resident shared ..., in pages (proc(5)).
    const std::string pages = readFile("/proc/self/statm").value_or("");
    reading.resident = numberAfter(pages, " ") * ::sysconf(_SC_PAGESIZE);
    const std::string status = readFile("/proc/self/status").value_or("");
    reading.peakResident = std::max(numberAfter(status, "VmHWM:") * kilobyte, reading.resident);
    rusage usage {};
    if (::getrusage(RUSAGE_SELF, &usage) == 0) {
        reading.cpuSeconds = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
    }
    return reading;
}

void resetPeakResident()
{
    std::ofstream("/proc/self/clear_refs") << 5; // proc(5)
}

HostMemory readHostMemory()
{
    const std::string text = readFile("/proc/meminfo").value_or("");
    return { numberAfter(text, "MemTotal:") * kilobyte, numberAfter(text, "MemAvailable:") * kilobyte };
}

std::string processName(int64_t process, const std::filesystem::path& proc)
{
    std::string name = readFile(proc / std::to_string(process) / "comm").value_or("");
    std::erase(name, '\n');
    return name;
}

std::vector<ProgramMemory> largestPrograms(std::span<const ProgramMemory> processes, size_t most)
{
    std::map<std::string, ProgramMemory> byName;
    for (const ProgramMemory& process : processes) {
        ProgramMemory& program = byName[process.name];
        program.name = process.name;
        program.processes += process.processes;
        program.bytes += process.bytes;
    }
    std::vector<ProgramMemory> programs;
    for (auto& [name, program] : byName) {
        programs.push_back(std::move(program));
    }
    std::ranges::stable_sort(programs, std::greater {}, &ProgramMemory::bytes);
    programs.resize(std::min(programs.size(), most));
    return programs;
}

std::vector<ProgramMemory> otherPrograms(size_t most, const std::filesystem::path& proc)
{
    std::vector<ProgramMemory> processes;
    std::error_code problem;
    std::filesystem::directory_iterator entries(proc, problem);
    for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem)) {
        const auto number = parseInteger(entries->path().filename().string());
        if (!number || *number == ::getpid()) {
            continue;
        }
        // A process may end meanwhile; then there is nothing to read.
        const std::string status = readFile(entries->path() / "status").value_or("");
        if (const int64_t bytes = numberAfter(status, "RssAnon:") * kilobyte; bytes > 0) {
            processes.push_back({ processName(*number, proc), 1, bytes });
        }
    }
    return largestPrograms(processes, most);
}

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "unknown processor";
}

} // namespace tunebench
