#include "core/train/doctor.h"

#include "core/memory/automatic_types.h"
#include "core/memory/device.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"
#include "core/memory/product_speed.h"
#include "core/train/measure_operations.h"

#include <algorithm>

namespace tunebench {
namespace {

/// fp32 first, which the others are held against.
constexpr NumberType measuredTypes[] { NumberType::fp32, NumberType::fp16, NumberType::bf16 };

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

/// Steps in a type that is far slower than fp32 would take minutes, and nobody trains in it.
bool worthTiming(const TypeMeasurement& type, const TypeMeasurement& fp32)
{
    return type.gflops && *type.gflops * 2.5 >= fp32.gflops.value_or(0);
}

void measure(DeviceMeasurement& measured, at::Device device, const std::stop_token& stop)
{
    resetPeakMemory(device);
    for (const NumberType type : measuredTypes)
        measured.types.push_back(measuredType(type, device));
    std::vector<TimedOperation> operations;
    for (TypeMeasurement& type : measured.types) {
        if (!worthTiming(type, measured.types.front()))
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
        storeReport(report);
    return report;
}

MachineReport knownMachine(const std::stop_token& stop)
{
    const auto stored = storedReport();
    if (!stored)
        return examineMachine(stop);
    storeReport(*stored);
    return *stored;
}

} // namespace tunebench
