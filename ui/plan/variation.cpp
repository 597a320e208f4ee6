#include "ui/plan/variation.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

constexpr int64_t shortestLength = 64; // tokens
constexpr int64_t largestBatch = 32; // rows

/// As the form sets an option: the default counts as not set.
void setIn(ConfigChoice& choice, const std::string& key, const nlohmann::json& value)
{
    const auto done = setOption(choice.values, key, value);
    Q_ASSERT(done);
    if (optionValue(choice.values, key) == optionValue(RunConfig {}, key)) {
        choice.set.erase(key);
    } else {
        choice.set.insert(key);
    }
}

std::vector<int64_t> sortedWith(std::vector<int64_t> values, int64_t another)
{
    values.push_back(another);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

} // namespace

ConfigChoice varied(ConfigChoice choice, const Variation& variation)
{
    if (variation.batchSize) {
        const int64_t effective = choice.values.rowsPerStep();
        choice = withoutEffectiveBatch(std::move(choice));
        setIn(choice, "batch_size", *variation.batchSize);
        setIn(choice, "accumulation_steps", std::max(int64_t { 1 }, effective / *variation.batchSize));
    }
    if (variation.maxLength) {
        setIn(choice, "max_length", *variation.maxLength);
    }
    if (variation.numbers) {
        const std::string name(choiceName(*variation.numbers));
        if (choice.values.method == Method::lora) {
            setIn(choice, "precision", name);
        }
        if (*variation.numbers != NumberType::nf4) {
            setIn(choice, "compute", name);
        }
    }
    if (variation.checkpointing) {
        setIn(choice, "gradient_checkpointing", std::string(choiceName(*variation.checkpointing)));
    }
    if (variation.everyLayers) {
        setIn(choice, "checkpoint_every_layers", *variation.everyLayers);
    }
    return choice;
}

ConfigChoice withoutEffectiveBatch(ConfigChoice choice)
{
    setIn(choice, "effective_batch", nullptr);
    return choice;
}

std::vector<int64_t> plannedBatchSizes(const PlanBasis& basis)
{
    const auto rows = static_cast<int64_t>(basis.data->inspection.extents.size());
    std::vector<int64_t> sizes;
    for (int64_t size = 1; size <= std::min(largestBatch, rows); size *= 2) {
        sizes.push_back(size);
    }
    return sortedWith(std::move(sizes), basis.choice.values.batchSize);
}

int64_t longestLength(const PlanBasis& basis)
{
    constexpr int64_t multiple = 8;
    const int64_t longest = (basis.data->lengths.longest + multiple - 1) / multiple * multiple;
    return std::min(longest, mostMaxLength(*basis.data));
}

std::vector<int64_t> plannedLengths(const PlanBasis& basis)
{
    const int64_t most = longestLength(basis);
    std::vector<int64_t> lengths;
    for (int64_t length = shortestLength; length < most; length *= 2) {
        lengths.push_back(length);
    }
    lengths.push_back(most);
    constexpr size_t mostLengths = 7; // as many as can be read beside the step
    if (lengths.size() > mostLengths) {
        lengths.erase(lengths.begin(), lengths.end() - mostLengths);
    }
    return sortedWith(std::move(lengths), basis.choice.values.maxLength);
}

QString plannedDuration(const MemoryPlan& plan, double seconds)
{
    const QString text = formatDuration(seconds);
    return plan.secondsPerStep ? text : QCoreApplication::translate("MemoryPlan", "at best %1").arg(text);
}

Fit fitOf(int64_t needed, int64_t limit)
{
    if (limit == 0) {
        return Fit::unknown;
    }
    if (needed > limit) {
        return Fit::tooBig;
    }
    constexpr int64_t share = 20;
    return needed > limit - limit / share ? Fit::tight : Fit::fits;
}

QString fitText(Fit fit)
{
    switch (fit) {
    case Fit::unknown:
        break;
    case Fit::fits:
        return QCoreApplication::translate("Fit", "fits");
    case Fit::tight:
        return QCoreApplication::translate("Fit", "tight");
    case Fit::tooBig:
        return QCoreApplication::translate("Fit", "too big");
    }
    return {};
}

QChar fitSign(Fit fit)
{
    switch (fit) {
    case Fit::unknown:
        break;
    case Fit::fits:
        return u'\u2713';
    case Fit::tight:
        return u'\u2248';
    case Fit::tooBig:
        return u'\u2715';
    }
    return u' ';
}

QColor fitColour(const QPalette& palette, Fit fit)
{
    switch (fit) {
    case Fit::unknown:
        break;
    case Fit::fits:
        return goodColour(palette);
    case Fit::tight:
        return warningColour(palette);
    case Fit::tooBig:
        return errorColour(palette);
    }
    return mutedColour(palette);
}

} // namespace tunebench
