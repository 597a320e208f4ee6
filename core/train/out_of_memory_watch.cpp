#include "core/train/out_of_memory_watch.h"

#include "core/config/cards.h"
#include "core/data/split_micro_batch.h"
#include "core/memory/counting_allocator.h"
#include "core/memory/cuda_refusal.h"
#include "core/memory/device.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"
#include "core/train/dry_run.h"
#include "core/train/evaluation_remedies.h"
#include "core/train/remedies.h"

#include <algorithm>
#include <c10/util/Exception.h>
#include <new>

namespace tunebench {
namespace {

void setPlace(OutOfMemoryReport& report, const MemoryPlace& place)
{
    report.layer = place.layer >= 0 ? std::optional<int64_t>(place.layer) : std::nullopt;
    report.operation = place.operation;
    report.pass = place.pass;
}

void setCategories(OutOfMemoryReport& report, const MemoryBreakdown& live)
{
    for (size_t i = 0; i < memoryCategoryCount; ++i) {
        if (live.at(i) > 0)
            report.categories.emplace_back(memoryCategoryName(static_cast<MemoryCategory>(i)), live.at(i));
    }
}

/// The memory of the device that the config names, as the driver or the operating system tells.
std::optional<int64_t> deviceBytes(const RunConfig& config, const std::optional<DeviceReading>& reading)
{
    if (const int64_t limit = limitBytes(config); limit > 0)
        return limit;
    if (cudaNumber(config.device))
        return reading ? reading->total : std::nullopt;
    return readHostMemory().total;
}

std::optional<DeviceReading> readingOf(const RunConfig& config)
{
    const auto number = cudaNumber(config.device);
    return number ? Nvml().read(*number) : std::nullopt;
}

void describeCuda(OutOfMemoryReport& report, const std::string& message, const RunMoment& moment, at::Device device,
    const RunModel& run)
{
    const CudaRefusal cuda = readCudaRefusal(message);
    report.requested = cuda.requested;
    report.allocated = cuda.allocated.value_or(readDeviceMemory(device).peak);
    report.reserved = cuda.reserved;
    std::vector<std::vector<MicroBatch>> steps;
    if (moment.batch)
        steps.push_back({ *moment.batch });
    if (const auto refusal = dryRunUntil(run.config, run.model.spec, steps, report.allocated)) {
        setCategories(report, refusal->live);
        if (report.operation.empty())
            setPlace(report, refusal->place);
    }
}

} // namespace

bool isOutOfMemory(const std::exception& error)
{
    return dynamic_cast<const c10::OutOfMemoryError*>(&error) || dynamic_cast<const std::bad_alloc*>(&error);
}

OutOfMemoryReport describeOutOfMemory(
    const std::exception& error, const RunMoment& moment, at::Device device, const RunModel& run)
{
    OutOfMemoryReport report;
    report.phase = moment.phase;
    report.step = moment.step;
    if (moment.batch)
        report.rowLengths = rowLengths(*moment.batch);
    const auto reading = readingOf(run.config);
    report.limit = deviceBytes(run.config, reading);
    if (reading && reading->used && reading->usedByThisProcess)
        report.otherPrograms = std::max<int64_t>(0, *reading->used - *reading->usedByThisProcess);
    if (const auto place = PlaceScope::takeFailed())
        setPlace(report, *place);
    if (const auto refusal = cpuLedger().takeRefusal()) {
        report.requested = refusal->requested;
        report.allocated = refusal->allocated;
        setPlace(report, refusal->place);
        setCategories(report, refusal->live);
    } else if (device.is_cuda()) {
        describeCuda(report, error.what(), moment, device, run);
    } else {
        report.allocated = cpuLedger().allocated();
        setCategories(report, cpuLedger().breakdown());
    }
    return report;
}

std::pair<MicroBatch, MicroBatch> splitOrRethrow(
    const std::exception& error, const MicroBatch& batch, at::Device device, const RunConfig& config)
{
    const bool split = config.onOutOfMemory == OutOfMemoryAction::split && isOutOfMemory(error);
    auto halves = split ? halved(batch, config.paddingSide) : std::nullopt;
    if (!halves)
        throw;
    // The failure is got over: the next one is described as it is.
    static_cast<void>(PlaceScope::takeFailed());
    static_cast<void>(cpuLedger().takeRefusal());
    releaseCachedMemory(device);
    return std::move(*halves);
}

void explainOutOfMemory(OutOfMemoryReport& report, const RunMoment& moment, const RunModel& run)
{
    constexpr size_t mostRemedies = 5;
    ConfigChoice choice { run.config, {} };
    if (limitBytes(run.config) == 0 && report.limit)
        choice.values.memoryLimit = std::max<int64_t>(1, *report.limit - report.otherPrograms.value_or(0));
    const auto extents = readExtents(run.config, run.model.spec.vocabularySize);
    const auto plan = extents ? planMemory(choice, extents->view(), PlanDetail::figures) : failure("");
    if (!plan)
        return;
    report.plannedPeak = plan->peakAllocated;
    report.remedies = report.phase == OutOfMemoryPhase::evaluation && moment.batch
        ? evaluationRemedies(choice, *moment.batch)
        : planRemedies(choice, extents->view(), *plan);
    report.remedies.resize(std::min(mostRemedies, report.remedies.size()));
}

} // namespace tunebench
