#include "ui/base/free_memory.h"

#include "core/config/cards.h"
#include "core/memory/nvml.h"

#include <memory>
#include <unistd.h>
#include <utility>

namespace tunebench {

namespace {

constexpr size_t mostPrograms = 5;

FreeMemory freeOn(const Nvml& nvml, int device)
{
    const auto reading = nvml.read(device);
    if (!reading || !reading->total || !reading->used) {
        return {};
    }
    std::vector<ProgramMemory> programs;
    for (const DeviceProcess& process : nvml.processes(device)) {
        if (process.process != ::getpid()) {
            programs.push_back({ processName(process.process), 1, process.bytes });
        }
    }
    return { *reading->total - *reading->used, largestPrograms(programs, mostPrograms) };
}

} // namespace

FreeMemorySource freeMemoryOfThisMachine()
{
    return [nvml = std::make_shared<const Nvml>()](const RunConfig& config) -> FreeMemory {
        if (const auto device = cudaNumber(config.device)) {
            return freeOn(*nvml, *device);
        }
        return { readHostMemory().available, otherPrograms(mostPrograms) };
    };
}

FreeMemoryWatch::FreeMemoryWatch(FreeMemorySource source, QObject* parent)
    : QObject(parent)
    , m_source(std::move(source))
    , m_task(this, [this](const FreeMemory& reading) {
        m_reading = reading;
        emit changed();
    })
{
    constexpr int period = 1000; // ms
    m_clock.setInterval(period);
    connect(&m_clock, &QTimer::timeout, this, &FreeMemoryWatch::refresh);
}

void FreeMemoryWatch::start(const RunConfig& config)
{
    if (m_source == nullptr) {
        return;
    }
    if (config.device != m_config.device) {
        m_reading = {};
    }
    m_config = config;
    m_clock.start();
    refresh();
}

void FreeMemoryWatch::stop()
{
    m_clock.stop();
    m_task.cancel();
}

void FreeMemoryWatch::refresh()
{
    m_task.request([source = m_source, config = m_config](const std::stop_token&) { return source(config); });
}

} // namespace tunebench
