#include "core/memory/doctor.h"

#include "core/base/files.h"
#include "core/config/cards.h"
#include "core/config/options.h"
#include "core/memory/device.h"
#include "core/memory/device_report.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"
#include "core/memory/product_speed.h"
#include "core/train/measure_operations.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <torch/version.h>

namespace tunebench {
namespace {

constexpr NumberType measuredTypes[] { NumberType::fp32, NumberType::fp16, NumberType::bf16 };

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

/// Devices in the order in which `auto` prefers them, unmeasured.
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

/// Whether a stored measurement is of this very machine as it is now.
bool describes(const MachineReport& stored, const MachineReport& now)
{
    const auto same = [](const DeviceMeasurement& a, const DeviceMeasurement& b) {
        return a.device == b.device && a.name == b.name && a.threads == b.threads;
    };
    return stored.libtorch == now.libtorch && stored.driver == now.driver
        && std::ranges::equal(stored.devices, now.devices, same);
}

const DeviceMeasurement* find(const MachineReport& report, const std::string& device)
{
    const auto found = std::ranges::find(report.devices, device, &DeviceMeasurement::device);
    return found == report.devices.end() ? nullptr : &*found;
}

/// Bytes that this process takes on the device besides what LibTorch's allocator has there: of a card the driver tells
/// it, of the computer's memory the process's own peak beside that of tensors, which falls into the largest steps.
std::optional<int64_t> overheadOn(at::Device device)
{
    const DeviceMemory memory = readDeviceMemory(device);
    if (device.is_cpu())
        return std::max<int64_t>(0, readProcess().peakResident - memory.peak);
    const auto reading = Nvml().read(device.index());
    if (!reading || !reading->usedByThisProcess || !memory.reserved)
        return std::nullopt;
    return *reading->usedByThisProcess - *memory.reserved;
}

TypeMeasurement measuredType(NumberType type, at::Device device)
{
    try {
        return measureProducts(type, device);
    } catch (const std::exception&) { // the device cannot multiply in this type
        return { .type = type };
    }
}

/// Steps in a type that is far slower than another would take minutes, and nobody trains in it.
bool worthTiming(const TypeMeasurement& type, const DeviceMeasurement& device)
{
    const auto fastest = std::ranges::max_element(device.types, {}, &TypeMeasurement::gflops);
    return type.gflops && *type.gflops * 2.5 >= *fastest->gflops;
}

void measure(DeviceMeasurement& measured, at::Device device, const std::stop_token& stop)
{
    resetPeakMemory(device);
    for (const NumberType type : measuredTypes)
        measured.types.push_back(measuredType(type, device));
    std::vector<TimedOperation> operations;
    for (TypeMeasurement& type : measured.types) {
        if (type.type != NumberType::fp32 && !worthTiming(type, measured))
            continue;
        try {
            const auto timed = measureOperations(type.type, device, stop);
            operations.insert(operations.end(), timed.begin(), timed.end());
            type.stepsTimed = true;
        } catch (const std::exception&) { // no room for the steps on the device now: there are no times then
        }
    }
    measured.operations = fitPrices(operations);
    chooseByMeasurement(measured);
    measured.overhead = overheadOn(device);
    releaseCachedMemory(device);
}

void store(const MachineReport& report)
{
    std::error_code ignored; // without the folder the write says what is wrong, and the report is good without it
    std::filesystem::create_directories(dataDirectory(), ignored);
    static_cast<void>(writeFileAtomically(reportPath(), reportToJson(report).dump(2) + "\n"));
}

} // namespace

MachineReport examineMachine(const std::stop_token& stop)
{
    useThreads(0);
    MachineReport report = machineFacts();
    for (DeviceMeasurement& device : report.devices) {
        const auto opened = openDevice(device.device);
        if (opened)
            measure(device, *opened, stop);
    }
    if (!stop.stop_requested())
        store(report);
    return report;
}

MachineReport knownMachine(const std::stop_token& stop)
{
    const auto stored = storedReport();
    if (!stored)
        return examineMachine(stop);
    store(*stored);
    return *stored;
}

std::optional<MachineReport> storedReport()
{
    const auto text = readFile(reportPath());
    auto report = text ? reportFromJson(*text) : std::nullopt;
    return report && describes(*report, machineFacts()) ? std::move(report) : std::nullopt;
}

DeviceMeasurement knownDevice(const std::string& device)
{
    const auto stored = storedReport();
    const MachineReport report = stored ? *stored : machineFacts();
    const DeviceMeasurement* found = find(report, device);
    return found ? *found : DeviceMeasurement { .device = device };
}

DeviceMeasurement plannedDevice(const RunConfig& config)
{
    DeviceMeasurement known = knownDevice(config.device);
    const Card* card = namedCard(config);
    return card && findCard(known.name) != card ? DeviceMeasurement { .device = config.device, .name = card->name }
                                                : known;
}

Result<RunConfig> resolveAutomatic(RunConfig config)
{
    auto report = storedReport();
    if (!report) {
        report = machineFacts();
        for (DeviceMeasurement& device : report->devices)
            chooseByCapability(device);
    }
    if (config.device == "auto")
        config.device = report->devices.front().device;
    const DeviceMeasurement* device = find(*report, config.device);
    const Card* card = namedCard(config);
    DeviceMeasurement other;
    if (card && (!device || findCard(device->name) != card)) {
        other = { .device = config.device, .name = card->name };
        chooseByCapability(other);
        device = &other;
    }
    if (!device) {
        const auto opened = openDevice(config.device);
        return failure(opened ? "device: " + config.device + " cannot be used." : opened.error().message);
    }
    if (config.precision == NumberType::automatic)
        config.precision = config.method == Method::full ? NumberType::fp32 : device->automaticPrecision;
    if (config.compute == NumberType::automatic)
        config.compute = device->automaticCompute;
    return config;
}

} // namespace tunebench
