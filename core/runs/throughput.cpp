#include "core/runs/throughput.h"

#include "core/base/median.h"
#include "core/config/number_text.h"
#include "core/runs/memory_watch.h"
#include "core/runs/percent.h"

#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

/// From which share on something is worth a word.
constexpr double much = 0.1;

/// By how much the clock is lower at the end: heat or a power limit, since the work of the steps is the same.
std::optional<double> clockFallOf(std::span<const StepMetrics> steps)
{
    std::vector<double> clocks;
    for (const StepMetrics& step : steps) {
        if (step.clockMhz)
            clocks.push_back(*step.clockMhz);
    }
    constexpr size_t fewest = 9;
    if (clocks.size() < fewest)
        return std::nullopt;
    const auto third = static_cast<std::ptrdiff_t>(clocks.size() / 3);
    const double before = median({ clocks.begin(), clocks.begin() + third });
    const double after = median({ clocks.end() - third, clocks.end() });
    return before > 0 ? std::optional(std::max(0.0, 1 - after / before)) : std::nullopt;
}

std::optional<double> meanUtilization(std::span<const StepMetrics> steps)
{
    double sum = 0;
    int count = 0;
    for (const StepMetrics& step : steps) {
        if (const auto value = step.deviceUtilization ? step.deviceUtilization : step.cpuUtilization) {
            sum += *value;
            ++count;
        }
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

} // namespace

std::optional<StepTimes> stepTimes(std::span<const StepMetrics> steps)
{
    double seconds = 0, tokens = 0, slots = 0;
    StepTimes times;
    for (const StepMetrics& step : steps) {
        seconds += step.seconds;
        times.data += step.dataSeconds;
        times.forward += step.forwardSeconds;
        times.backward += step.backwardSeconds - step.recomputeSeconds;
        times.recompute += step.recomputeSeconds;
        times.optimizer += step.optimizerSeconds;
        times.courtesy += step.courtesySeconds;
        tokens += static_cast<double>(step.tokens);
        slots += static_cast<double>(step.paddedTokens);
    }
    if (!(seconds > 0))
        return std::nullopt;
    times.seconds = seconds / static_cast<double>(steps.size());
    for (double* part :
        { &times.data, &times.forward, &times.backward, &times.recompute, &times.optimizer, &times.courtesy })
        *part /= seconds;
    times.padding = slots > 0 ? 1 - tokens / slots : 0;
    times.deviceUtilization = meanUtilization(steps);
    times.clockFall = clockFallOf(steps);
    return times;
}

std::vector<std::string> throughputAdvice(
    const StepTimes& times, const RunConfig& config, const std::optional<FasterType>& fasterType)
{
    constexpr double idle = 0.7;
    constexpr double worthwhile = 1.15;
    std::vector<std::string> advice;
    if (times.data > much)
        advice.push_back("It waits for data for " + percent(times.data)
            + " of the time: keep the dataset on a faster disk, or give the run more threads.");
    if (times.padding > much)
        advice.push_back(percent(times.padding)
            + " of the work goes into padding: padding none costs nothing, and gives the same gradients.");
    if (times.recompute > much)
        advice.push_back("Recompute takes " + percent(times.recompute)
            + " of the time: where there is memory (see the plan), gradient_checkpointing off or selective saves it.");
    if (fasterType && fasterType->factor > worthwhile)
        advice.push_back("Products in " + fasterType->name + " were measured to be "
            + numberText(std::round(fasterType->factor * 10) / 10) + " times as fast on this device: set compute: "
            + fasterType->name + ", for a rounding that the loss curve will show.");
    if (times.courtesy > much / 2)
        advice.push_back("Courtesy pauses for " + percent(times.courtesy)
            + " of the time: where nobody uses the desktop meanwhile, courtesy off saves it.");
    if (times.deviceUtilization && *times.deviceUtilization < idle * (1 - times.courtesy) && times.data <= much)
        advice.push_back("The device is busy for only " + percent(*times.deviceUtilization)
            + " of the time: a batch_size above " + std::to_string(config.batchSize)
            + " with fewer accumulation_steps gives it more to do, for more memory.");
    if (times.optimizer > 2 * much)
        advice.push_back("The optimizer takes " + percent(times.optimizer)
            + " of the time: more accumulation_steps make its steps rarer, and the effective batch larger.");
    if (times.clockFall && *times.clockFall > much / 2)
        advice.push_back("The clock fell by " + percent(*times.clockFall)
            + " at the same work: the device is too hot or at its power limit; better cooling helps, nothing else.");
    return advice;
}

std::string throughputText(
    std::span<const StepMetrics> steps, const RunConfig& config, const std::optional<FasterType>& fasterType)
{
    const auto times = stepTimes(steps);
    if (!times)
        return {};
    std::string text = "Of a step's " + numberText(std::round(times->seconds * 1000) / 1000) + " s, forward takes "
        + percent(times->forward) + ", backward " + percent(times->backward)
        + (times->recompute > 0 ? ", recompute " + percent(times->recompute) : "") + ", the optimizer "
        + percent(times->optimizer) + (times->courtesy > 0 ? ", pauses for courtesy " + percent(times->courtesy) : "")
        + " and data " + percent(times->data) + ".";
    for (const std::string& one : throughputAdvice(*times, config, fasterType))
        text += " " + one;
    if (const auto spill = memorySpill(steps))
        text += " " + memorySpillText(*spill);
    return text;
}

} // namespace tunebench
