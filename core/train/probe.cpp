#include "core/train/probe.h"

#include "core/config/cards.h"
#include "core/memory/device.h"
#include "core/train/courtesy.h"
#include "core/train/explain_failure.h"
#include "core/train/out_of_memory_watch.h"
#include "core/train/plan_memory.h"
#include "core/train/run_inputs.h"
#include "core/train/schedule.h"
#include "core/train/stopwatch.h"
#include "core/train/trainee.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

/// A step that ran.
struct ProbedStep {
    double seconds = 0;
    int64_t tokens = 0;
};

std::vector<MicroBatch> groupAt(BatchPlan& batches, int64_t step, const RunInputs& inputs)
{
    std::vector<MicroBatch> group;
    for (const auto& sequences : batches.microBatches(step))
        group.push_back(collate(inputs.data.rows.training, sequences, inputs.config, inputs.data.padId));
    return group;
}

tl::unexpected<Error> stopped()
{
    return failure("The probe was stopped.", Fault::work);
}

Result<std::vector<ProbedStep>> runSteps(
    Trainee& trainee, const RunInputs& inputs, RunMoment& moment, const std::stop_token& stop)
{
    BatchPlan batches(lengthsOf(inputs.data.rows.training), inputs.config);
    const int64_t total = batches.counts().totalSteps;
    CourtesyPauses courtesy(courtesyRule(inputs.config.courtesy).share,
        [&stop](double seconds) { waitFor(seconds, stop, [] { return false; }); });
    std::vector<ProbedStep> steps;
    for (int64_t i = 0; i < probeWarmUpSteps + probeTimedSteps; ++i) {
        ProbedStep step;
        {
            const Stopwatch watch(step.seconds);
            courtesy.begin();
            const auto group = groupAt(batches, i % total, inputs);
            moment = { i == 0 ? OutOfMemoryPhase::firstStep : OutOfMemoryPhase::laterStep, i + 1 };
            size_t begun = 0;
            const double learningRate = learningRateAt(inputs.config, i % total, total);
            const auto outcome = trainStep(trainee, inputs.config, group, learningRate, [&] {
                moment.batch = group[begun++];
                courtesy.pause();
                return !stop.stop_requested();
            });
            if (outcome.interrupted)
                return stopped();
            step.tokens = outcome.tokens;
            courtesy.pause();
        }
        steps.push_back(step);
        if (trainee.decoder.device.is_cpu()) // as training does after each step
            releaseCachedMemory(trainee.decoder.device);
    }
    return steps;
}

/// The device limited as the run limits it, for as long as the probe lasts.
class DeviceLimit {
public:
    explicit DeviceLimit(at::Device device)
        : m_device(device)
    {
    }
    DeviceLimit(const DeviceLimit&) = delete;
    DeviceLimit& operator=(const DeviceLimit&) = delete;
    ~DeviceLimit()
    {
        static_cast<void>(limitMemory(m_device, 0)); // lifting a limit cannot fail
        releaseCachedMemory(m_device);
    }

private:
    at::Device m_device;
};

Result<void> measure(Probe& probe, const RunInputs& inputs, RunMoment& moment, const std::stop_token& stop)
{
    const auto device = openDevice(inputs.config.device);
    if (!device)
        return tl::unexpected(device.error());
    const at::AutoDispatchBelowADInplaceOrView noGradients; // as training
    useThreads(inputs.config.threads);
    const DeviceLimit limit(*device);
    if (auto limited = limitMemory(*device, limitBytes(inputs.config)); !limited)
        return limited;
    const int64_t before = readDeviceMemory(*device).allocated;
    resetPeakMemory(*device);
    auto trainee = makeTrainee(inputs.config, inputs.model.spec, inputs.model.weights.get(),
        inputs.adapter ? &*inputs.adapter : nullptr, *device);
    if (!trainee)
        return tl::unexpected(trainee.error());
    const auto steps = runSteps(*trainee, inputs, moment, stop);
    if (!steps)
        return tl::unexpected(steps.error());
    probe.measuredPeak = readDeviceMemory(*device).peak - before;
    double seconds = 0, tokens = 0, allTokens = 0, fastest = INFINITY, slowest = 0;
    for (size_t i = 0; i < steps->size(); ++i) {
        const auto stepTokens = static_cast<double>((*steps)[i].tokens);
        allTokens += stepTokens;
        if (i < probeWarmUpSteps)
            continue;
        seconds += (*steps)[i].seconds;
        tokens += stepTokens;
        fastest = std::min(fastest, (*steps)[i].seconds / stepTokens);
        slowest = std::max(slowest, (*steps)[i].seconds / stepTokens);
    }
    probe.measuredSeconds = seconds / probeTimedSteps;
    probe.tokensPerSecond = tokens / seconds;
    probe.spread = (slowest - fastest) * probe.tokensPerSecond;
    // The plan is the mean of all steps; those that were timed may be longer or shorter.
    if (probe.plannedSeconds)
        *probe.plannedSeconds *= tokens / probeTimedSteps / (allTokens / static_cast<double>(steps->size()));
    return {};
}

std::string explain(const std::exception& error, const RunMoment& moment, const RunInputs& inputs)
{
    if (!isOutOfMemory(error))
        return explainException(error);
    auto report = describeOutOfMemory(error, moment, at::Device(inputs.config.device), inputs);
    explainOutOfMemory(report, moment, inputs);
    return outOfMemoryText(report, false);
}

Result<Probe> probeInputs(const RunInputs& inputs, const std::stop_token& stop)
{
    const auto plan = planLoaded(inputs, false);
    if (!plan)
        return tl::unexpected(plan.error());
    Probe probe { .plannedPeak = plan->peakAllocated, .plannedSeconds = plan->secondsPerStep, .noTime = plan->noTime };
    RunMoment moment;
    try {
        if (auto measured = measure(probe, inputs, moment, stop); !measured)
            return tl::unexpected(measured.error());
    } catch (const std::exception& error) {
        return failure(explain(error, moment, inputs), Fault::work);
    }
    return probe;
}

} // namespace

Result<Probe> probeRun(const ConfigChoice& choice, const Notice& notice, const std::stop_token& stop)
{
    ConfigChoice steps = choice;
    constexpr int64_t wanted = probeWarmUpSteps + probeTimedSteps;
    steps.values.maxSteps = std::min(choice.values.maxSteps.value_or(wanted), wanted);
    try {
        const auto inputs = openRunInputs(steps, notice, stop);
        if (stop.stop_requested())
            return stopped();
        return inputs ? probeInputs(*inputs, stop) : tl::unexpected(inputs.error());
    } catch (const std::exception& error) {
        return failure(std::string("The probe failed: ") + error.what(), Fault::work);
    }
}

} // namespace tunebench
