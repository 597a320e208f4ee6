#include "core/memory/machine_report.h"

#include "core/base/files.h"
#include "core/config/cards.h"
#include "core/config/options.h"
#include "core/memory/device.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <torch/version.h>

namespace tunebench {
namespace {

std::filesystem::path reportPath()
{
    return dataDirectory() / "device.json";
}

/// What is known of a device without measuring.
DeviceMeasurement cpuFacts()
{
    const HostMemory memory = readHostMemory();
    return { .device = "cpu",
        .name = processorName(),
        .memoryTotal = memory.total,
        .memoryAvailable = memory.available,
        .threads = threadCount(0) };
}

DeviceMeasurement cudaFacts(int index, const Nvml& nvml)
{
    DeviceMeasurement facts { .device = "cuda:" + std::to_string(index) };
    if (const auto reading = nvml.read(index)) {
        facts.name = reading->name;
        facts.memoryTotal = reading->total.value_or(0);
        facts.memoryAvailable = facts.memoryTotal - reading->used.value_or(0);
    }
    return facts;
}

/// Whether a stored measurement is of this very machine as it is now.
bool describes(const MachineReport& stored, const MachineReport& now)
{
    const auto same = [](const DeviceMeasurement& a, const DeviceMeasurement& b) {
        return a.device == b.device && a.name == b.name && a.threads == b.threads;
    };
    return stored.libtorch == now.libtorch && stored.driver == now.driver
        && std::ranges::equal(stored.devices, now.devices, same);
}

} // namespace

MachineReport machineFacts()
{
    initializeEngine();
    const Nvml nvml;
    MachineReport report { .libtorch = TORCH_VERSION, .driver = nvml.driverVersion().value_or("") };
    for (int i = 0; i < cudaDeviceCount(); ++i)
        report.devices.push_back(cudaFacts(i, nvml));
    report.devices.push_back(cpuFacts());
    return report;
}

void storeReport(const MachineReport& report)
{
    std::error_code ignored; // without the folder the write says what is wrong, and the report is good without it
    std::filesystem::create_directories(dataDirectory(), ignored);
    static_cast<void>(writeFileAtomically(reportPath(), reportToJson(report).dump(2) + "\n"));
}

std::optional<MachineReport> storedReport()
{
    const auto text = readFile(reportPath());
    auto report = text ? reportFromJson(*text) : std::nullopt;
    return report && describes(*report, machineFacts()) ? std::move(report) : std::nullopt;
}

const DeviceMeasurement* findDevice(const MachineReport& report, const std::string& device)
{
    const auto found = std::ranges::find(report.devices, device, &DeviceMeasurement::device);
    return found == report.devices.end() ? nullptr : &*found;
}

DeviceMeasurement knownDevice(const std::string& device)
{
    const auto stored = storedReport();
    const MachineReport report = stored ? *stored : machineFacts();
    const DeviceMeasurement* found = findDevice(report, device);
    return found ? *found : DeviceMeasurement { .device = device };
}

DeviceMeasurement plannedDevice(const RunConfig& config)
{
    DeviceMeasurement known = knownDevice(config.device);
    const Card* card = namedCard(config);
    return card && findCard(known.name) != card ? DeviceMeasurement { .device = config.device, .name = card->name }
                                                : known;
}

} // namespace tunebench
