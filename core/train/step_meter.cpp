#include "core/train/step_meter.h"

#include "core/memory/device.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tunebench {
namespace {

double secondsNow()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

StepMeter::StepMeter(at::Device device)
    : m_device(device)
    , m_lastCpuSeconds(readProcess().cpuSeconds)
    , m_lastTime(secondsNow())
{
}

std::optional<double> StepMeter::temperature() const
{
    const auto reading = m_device.is_cuda() ? m_nvml.read(m_device.index()) : std::nullopt;
    return reading ? reading->temperature : std::nullopt;
}

void StepMeter::read(StepMetrics& metrics)
{
    const DeviceMemory memory = readDeviceMemory(m_device);
    metrics.allocated = memory.allocated;
    metrics.peakAllocated = memory.peak;
    metrics.reserved = memory.reserved;

    const ProcessReading process = readProcess();
    const double now = secondsNow();
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    if (now > m_lastTime)
        metrics.cpuUtilization
            = std::clamp((process.cpuSeconds - m_lastCpuSeconds) / (now - m_lastTime) / cores, 0.0, 1.0);
    m_lastCpuSeconds = process.cpuSeconds;
    m_lastTime = now;

    if (!m_device.is_cuda()) {
        metrics.process = process.resident;
        metrics.peakProcess = process.peakResident;
        return;
    }
    const auto reading = m_nvml.read(m_device.index());
    if (!reading)
        return;
    metrics.process = reading->usedByThisProcess;
    metrics.deviceUsed = reading->used;
    metrics.deviceUtilization = reading->utilization;
    metrics.powerWatts = reading->powerWatts;
    metrics.temperature = reading->temperature;
    metrics.clockMhz = reading->clockMhz;
}

} // namespace tunebench
