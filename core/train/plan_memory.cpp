#include "core/train/plan_memory.h"

#include "core/config/cards.h"
#include "core/config/choices.h"
#include "core/data/length_statistics.h"
#include "core/memory/caching_allocator.h"
#include "core/memory/machine_report.h"
#include "core/memory/process_meter.h"
#include "core/memory/published_speed.h"
#include "core/train/courtesy.h"
#include "core/train/dry_run.h"
#include "core/train/effective_batch.h"
#include "core/train/planned_batches.h"
#include "core/train/run_inputs.h"

#include <algorithm>
#include <functional>

namespace tunebench {
namespace {

/// What cuBLAS keeps in LibTorch's allocator from its first product on: aten/src/ATen/cuda/CublasHandlePool.cpp of
/// 2.11, parseChosenWorkspaceSize.
int64_t libraryWorkspace(const RunConfig& config, const DeviceMeasurement& device)
{
    if (!cudaNumber(config.device))
        return 0;
    const Card* card = findCard(device.name);
    const bool hopper = card && card->computeCapability == "9.0";
    return (hopper ? 8 * 4096 : 2 * 4096 + 8 * 16) * int64_t { 1024 };
}

/// Bytes of the computer's memory. From a card a checkpoint is copied there whole before it is written, and the result,
/// which is a part of it; by then nothing is offloaded any more.
int64_t hostBytes(const MemoryPlan& plan, const PlannedMemory& planned)
{
    return cudaNumber(plan.config.device) ? std::max(planned.offloaded, planned.trainingState)
                                          : plan.peakProcess.value_or(plan.peakAllocated);
}

int64_t roomOf(const MemoryPlan& plan, const DeviceMeasurement& device)
{
    if (plan.limit > 0)
        return plan.limit;
    return cudaNumber(plan.config.device) ? device.memoryTotal : plan.hostFree;
}

/// The first layers, in which every kind of layer of the model occurs.
ModelSpec withLayers(ModelSpec spec, int64_t layers)
{
    spec.layers = layers;
    if (!spec.slidingLayers.empty())
        spec.slidingLayers.resize(static_cast<size_t>(layers));
    return spec;
}

/// Seconds of some operations; nothing where that is not known.
using Pricing = std::function<std::optional<double>(std::span<const OperationCount>)>;

/// Seconds that the model's layers add up to: they are alike, so a few are counted.
struct StepSeconds {
    double microBatch = 0;
    double update = 0;
};

std::optional<StepSeconds> secondsOfStep(
    const RunConfig& config, const ModelSpec& spec, const MicroBatch& batch, const Pricing& pricing)
{
    const auto timed = [&](int64_t layers) -> std::optional<StepSeconds> {
        const auto operations = countOperations(config, withLayers(spec, layers), batch);
        if (!operations)
            return std::nullopt;
        const auto microBatch = pricing(operations->microBatch), update = pricing(operations->update);
        return microBatch && update ? std::optional(StepSeconds { *microBatch, *update }) : std::nullopt;
    };
    constexpr int64_t longestPattern = 6; // Gemma 3: five layers with a window, one without
    const int64_t some
        = spec.slidingLayers.empty() ? std::max<int64_t>(1, config.checkpointEveryLayers) : longestPattern;
    if (spec.layers <= 2 * some)
        return timed(spec.layers);
    const auto few = timed(some), more = timed(2 * some);
    if (!few || !more)
        return std::nullopt;
    const double rest = static_cast<double>(spec.layers - some) / static_cast<double>(some);
    return StepSeconds { few->microBatch + rest * (more->microBatch - few->microBatch),
        few->update + rest * (more->update - few->update) };
}

/// Why the device's measurement says nothing of a run with these options; empty when it does.
std::string whyNoTime(const RunConfig& config, const DeviceMeasurement& device)
{
    if (device.operations.empty()) {
        const Card* card = namedCard(config);
        if (!card)
            return "The device has not been measured (Measure on the Plan page or tunebench-cli doctor does it).";
        return "No " + card->name + " was measured on this machine"
            + (config.compute == NumberType::bf16 && !card->bf16 ? ", and it has no bf16." : ".");
    }
    const auto type = std::ranges::find(device.types, config.compute, &TypeMeasurement::type);
    if (type == device.types.end() || !type->stepsTimed)
        return "Steps in " + std::string(choiceName(config.compute))
            + " were not measured on this device: they are far slower there than in fp32, or had no room.";
    if (config.threads > 0 && config.threads != device.threads && !cudaNumber(config.device))
        return "The device was measured with " + std::to_string(device.threads) + " threads, not with "
            + std::to_string(config.threads) + ".";
    return {};
}

/// Sets the plan's time, or why there is none and the least that a card's published figures allow.
void planTime(MemoryPlan& plan, const ModelSpec& spec, const PlannedBatches& batches, const DeviceMeasurement& device)
{
    const auto secondsBy = [&](const Pricing& pricing) {
        const auto seconds = secondsOfStep(plan.config, spec, batches.typical, pricing);
        return seconds
            ? std::optional((batches.microBatchesPerStep * batches.typicalShare * seconds->microBatch + seconds->update)
                * (1 + courtesyRule(plan.config.courtesy).share))
            : std::nullopt;
    };
    plan.noTime = whyNoTime(plan.config, device);
    if (plan.noTime.empty())
        plan.secondsPerStep = secondsBy([&](auto counts) { return secondsOf(counts, device.operations); });
    else if (const Card* card = namedCard(plan.config); card && device.operations.empty())
        plan.secondsAtBest = secondsBy([&](auto counts) { return secondsAtBest(counts, *card); });
}

/// Training refuses rows of which truncation leaves none.
Result<void> checkRows(const PlannedBatches& batches, const RunExtents& extents, const RunConfig& config)
{
    const auto nothingLeft = [&](const char* purpose) {
        return failure(std::string("No row is left to ") + purpose + " where max_length cuts rows after "
            + std::to_string(config.maxLength) + " tokens; choose a longer max_length, or other rows.");
    };
    if (batches.extreme.empty())
        return nothingLeft("train on");
    if (!extents.evaluation.empty() && batches.heldOut == 0)
        return nothingLeft("evaluate on");
    return {};
}

} // namespace

Result<MemoryPlan> planModel(
    const RunConfig& config, const ModelSpec& spec, const RunExtents& extents, PlanDetail detail, int64_t longestPrompt)
{
    const PlannedBatches batches = planBatches(extents, config);
    if (auto checked = checkRows(batches, extents, config); !checked)
        return tl::unexpected(checked.error());
    // One accumulation group of nothing but extreme micro-batches. No step needs more than this one, however many
    // there are: gradients and the optimizer's state are there from the beginning, and a micro-batch leaves nothing.
    std::vector<std::vector<MicroBatch>> steps { batches.extreme };
    if (detail == PlanDetail::all)
        steps.front().insert(steps.front().begin(), batches.typical);
    const auto planned = dryRun(config, spec, steps, longestPrompt, batches.evaluation);
    if (!planned)
        return tl::unexpected(planned.error());
    const DeviceMeasurement device = plannedDevice(config);
    const int64_t workspace = libraryWorkspace(config, device);
    MemoryPlan plan { .peakAllocated = planned->peakAllocated + workspace,
        .resident = planned->resident + workspace,
        .libraryWorkspace = workspace,
        .atPeak = planned->atPeak,
        .place = planned->place,
        .typicalPeak = detail == PlanDetail::all ? planned->microBatchPeaks.front() + workspace : 0,
        .curve = detail == PlanDetail::all ? planned->curve : std::vector<CurvePoint>(),
        .hostFree = readHostMemory().available,
        .limit = limitBytes(config),
        .config = config,
        .counts = batches.counts };
    if (planned->peakReserved)
        plan.peakReserved = *planned->peakReserved + CachingAllocator::segmentFor(workspace);
    if (device.overhead)
        plan.peakProcess = plan.needed() + *device.overhead;
    plan.hostBytes = hostBytes(plan, *planned);
    plan.room = roomOf(plan, device);
    if (detail != PlanDetail::memory)
        planTime(plan, spec, batches, device);
    return plan;
}

Result<MemoryPlan> planLoaded(const RunInputs& inputs, bool evaluates)
{
    RunConfig config = inputs.config; // its rows have been chosen already
    config.evalShare = 0;
    config.maxRows.reset();
    const auto training = extentsOf(inputs.data.rows.training);
    const auto heldOut = evaluates ? extentsOf(inputs.data.rows.heldOut) : std::vector<RowExtent>();
    return planModel(
        config, inputs.model.spec, { training, heldOut }, PlanDetail::figures, evaluates ? inputs.longestPrompt() : 0);
}

Result<MemoryPlan> planMemory(const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail)
{
    auto opened = openRunModel(choice, [](const std::string&, bool) {});
    if (!opened)
        return tl::unexpected(opened.error());
    if (auto solved = solveEffectiveBatch(*opened, choice.set, extents); !solved)
        return tl::unexpected(solved.error());
    return planModel(opened->config, opened->model.spec, extents, detail, opened->longestPrompt());
}

} // namespace tunebench
