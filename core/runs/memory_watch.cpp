#include "core/runs/memory_watch.h"

#include "core/base/median.h"
#include "core/config/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace tunebench {
namespace {

constexpr double mebibyte = 1 << 20;

constexpr size_t parts = 6;

/// The median of each sixth, and how far the values of a sixth stray from it (median of the distances).
struct Course {
    std::array<double, parts> medians {};
    double stray = 0;
    double stepsApart = 0; ///< steps between the middles of two sixths
};

Course courseOf(const std::vector<double>& values)
{
    Course course;
    std::vector<double> strays;
    for (size_t i = 0; i < parts; ++i) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * values.size() / parts);
        const auto end = values.begin() + static_cast<std::ptrdiff_t>((i + 1) * values.size() / parts);
        course.medians[i] = median({ begin, end });
        std::transform(
            begin, end, std::back_inserter(strays), [&](double value) { return std::abs(value - course.medians[i]); });
    }
    course.stray = median(strays);
    course.stepsApart = static_cast<double>(values.size()) / parts;
    return course;
}

/// Bytes a step, where the values climb by at least `least` in all.
std::optional<int64_t> climbOf(const std::vector<double>& values, double least)
{
    constexpr size_t fewest = 48;
    if (values.size() < fewest)
        return std::nullopt;
    const Course course = courseOf(values);
    const auto& medians = course.medians;
    const double rise = medians.back() - medians.front();
    std::array<double, parts - 1> rises {};
    std::transform(medians.begin() + 1, medians.end(), medians.begin(), rises.begin(), std::minus {});
    const double lateRise = medians.back() - medians[parts / 2];
    const bool steady = std::ranges::min(rises) > 0 && std::ranges::max(rises) < rise / 2 && lateRise > rise / 4;
    // A climb strays within its own sixth as well, by a quarter of what it rises there.
    const double noise = course.stray - rise / (parts - 1) / 4;
    if (!steady || rise < least || rise < 4 * noise)
        return std::nullopt;
    return std::llround(rise / (parts - 1) / course.stepsApart);
}

template <class Value> std::vector<double> seriesOf(std::span<const StepMetrics> steps, Value value)
{
    std::vector<double> series;
    for (const StepMetrics& step : steps) {
        if (const std::optional<int64_t> bytes = std::invoke(value, step))
            series.push_back(static_cast<double>(*bytes));
    }
    return series;
}

double secondsPerToken(const StepMetrics& step)
{
    return step.seconds / static_cast<double>(std::max<int64_t>(step.paddedTokens, 1));
}

double medianSecondsPerToken(std::span<const StepMetrics> steps)
{
    std::vector<double> times;
    std::ranges::transform(steps, std::back_inserter(times), secondsPerToken);
    return median(std::move(times));
}

struct SharedSeries {
    std::vector<StepMetrics> steps; ///< those that tell
    int64_t least = 0, most = 0; ///< shared bytes
    int64_t dedicated = 0; ///< at most
};

std::optional<SharedSeries> sharedSeries(std::span<const StepMetrics> steps)
{
    SharedSeries series;
    std::ranges::copy_if(steps, std::back_inserter(series.steps),
        [](const StepMetrics& step) { return step.deviceShared && step.deviceUsed; });
    if (series.steps.empty())
        return std::nullopt;
    const auto shared = [](const StepMetrics& step) { return *step.deviceShared; };
    const auto [least, most] = std::ranges::minmax_element(series.steps, {}, shared);
    series.least = shared(*least);
    series.most = shared(*most);
    for (const StepMetrics& step : series.steps)
        series.dedicated = std::max(series.dedicated, *step.deviceUsed);
    return series;
}

} // namespace

std::optional<MemoryClimb> memoryClimb(std::span<const StepMetrics> steps)
{
    // Between steps nothing is allocated but what stays, so that every byte counts; a process breathes.
    constexpr double leastAllocated = 4096;
    constexpr double leastProcess = 8 * mebibyte;
    const auto allocated = seriesOf(steps, &StepMetrics::allocated);
    if (const auto slope = climbOf(allocated, leastAllocated))
        return MemoryClimb { true, *slope };
    if (const auto slope = climbOf(seriesOf(steps, &StepMetrics::process), leastProcess))
        return MemoryClimb { false, *slope };
    return std::nullopt;
}

std::string memoryClimbText(const MemoryClimb& climb)
{
    const std::string slope = std::to_string(climb.bytesPerStep) + " bytes a step";
    if (climb.allocated)
        return "The memory of tensors climbs by " + slope
            + " although each step does the same: something is kept that should be given up. This is a fault of the "
              "program; please report it. A run that is stopped and resumed begins without it.";
    return "The memory of the process climbs by " + slope
        + " although its tensors take the same: the heap breaks up, or a library keeps what it should give up. A run "
          "that is stopped and resumed begins without it.";
}

std::optional<MemorySpill> memorySpill(std::span<const StepMetrics> steps)
{
    constexpr double leastSpill = 64 * mebibyte; // what a driver keeps there in any case varies by less
    constexpr double full = 0.97;
    constexpr double slower = 1.3;
    constexpr double goodPart = 0.1;
    const auto series = sharedSeries(steps);
    if (!series)
        return std::nullopt;
    const auto dedicated = static_cast<double>(series->dedicated);
    const auto spills = [&](const StepMetrics& step) {
        return static_cast<double>(*step.deviceShared - series->least) > leastSpill
            && static_cast<double>(*step.deviceUsed) > full * dedicated;
    };
    const auto first = std::ranges::find_if(series->steps, spills);
    const std::span before(series->steps.begin(), first);
    if (first == series->steps.end() || before.empty()) {
        const auto always = static_cast<double>(series->least);
        return always > std::max(leastSpill, goodPart * dedicated)
            ? std::optional(MemorySpill { series->steps.front().step, series->most, 1 })
            : std::nullopt;
    }
    std::vector<StepMetrics> spilling;
    std::copy_if(first, series->steps.end(), std::back_inserter(spilling), spills);
    const double slowdown = medianSecondsPerToken(spilling) / medianSecondsPerToken(before);
    return slowdown > slower ? std::optional(MemorySpill { first->step, series->most, slowdown }) : std::nullopt;
}

std::string memorySpillText(const MemorySpill& spill)
{
    return "The card's memory is full: since step " + std::to_string(spill.step) + " up to " + bytesText(spill.shared)
        + " lie in the computer's memory"
        + (spill.slowdown > 1 ? ", and a token takes " + fixedText(spill.slowdown, 1) + " times as long" : "")
        + ". A smaller batch_size, gradient_checkpointing or less in other programs keeps the run on the card.";
}

} // namespace tunebench
