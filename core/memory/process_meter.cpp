#include "core/memory/process_meter.h"

#include "core/base/files.h"

#include <charconv>
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

HostMemory readHostMemory()
{
    const std::string text = readFile("/proc/meminfo").value_or("");
    return { numberAfter(text, "MemTotal:") * kilobyte, numberAfter(text, "MemAvailable:") * kilobyte };
}

} // namespace tunebench
