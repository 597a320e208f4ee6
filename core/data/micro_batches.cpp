#include "core/data/micro_batches.h"

#include "core/data/permutation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tunebench {
namespace {

int64_t ceilDivide(int64_t value, int64_t by)
{
    return value / by + (value % by != 0);
}

/// Steps that `epochs` ends after. A product such as 0.07 x 100 = 7.000000000000001 must not add a step.
int64_t stepsOfEpochs(double epochs, int64_t stepsPerEpoch)
{
    constexpr double most = 1e15;
    const double steps = epochs * static_cast<double>(stepsPerEpoch);
    return static_cast<int64_t>(std::min(most, std::ceil(steps * (1 - 1e-12))));
}

void appendPadding(MicroBatch& batch, size_t count, TokenId padId)
{
    if (count == 0)
        return;
    for (size_t i = 0; i < count; ++i)
        batch.positions.push_back(static_cast<int64_t>(i));
    batch.ids.insert(batch.ids.end(), count, padId);
    batch.targets.insert(batch.targets.end(), count, ignoredLabel);
    batch.segmentStarts.push_back(static_cast<int64_t>(batch.ids.size()));
}

void appendRow(MicroBatch& batch, const TokenRow& row)
{
    const size_t length = row.ids.size();
    for (size_t i = 0; i < length; ++i) {
        const TokenId target = i + 1 < length ? row.labels[i + 1] : ignoredLabel;
        batch.ids.push_back(row.ids[i]);
        batch.positions.push_back(static_cast<int64_t>(i));
        batch.targets.push_back(target);
        batch.supervised += target != ignoredLabel;
    }
    batch.tokens += static_cast<int64_t>(length);
    batch.segmentStarts.push_back(static_cast<int64_t>(batch.ids.size()));
}

/// Slots that each row takes; 0 where rows take what they need.
size_t paddedLength(std::span<const TokenRow> rows, std::span<const size_t> indexes, const RunConfig& config)
{
    if (config.padding == Padding::none)
        return 0;
    size_t longest = config.padding == Padding::maxLength ? static_cast<size_t>(config.maxLength) : 0;
    for (const size_t index : indexes)
        longest = std::max(longest, rows[index].ids.size());
    return longest;
}

} // namespace

StepCounts countSteps(int64_t trainingRows, const RunConfig& config)
{
    StepCounts counts;
    counts.effectiveBatch = config.batchSize * config.accumulationSteps;
    counts.stepsPerEpoch = ceilDivide(trainingRows, counts.effectiveBatch);
    counts.totalSteps = stepsOfEpochs(config.epochs, counts.stepsPerEpoch);
    if (config.maxSteps)
        counts.totalSteps = std::min(counts.totalSteps, *config.maxSteps);
    return counts;
}

std::vector<size_t> epochOrder(size_t rows, const RunConfig& config, int64_t epoch)
{
    if (config.order == RowOrder::shuffle)
        return permutation(rows, static_cast<uint64_t>(config.seed), static_cast<uint64_t>(epoch));
    std::vector<size_t> order(rows);
    std::iota(order.begin(), order.end(), size_t { 0 });
    return order;
}

std::vector<std::vector<size_t>> stepRows(size_t rows, const RunConfig& config, int64_t step)
{
    const int64_t stepsPerEpoch = countSteps(static_cast<int64_t>(rows), config).stepsPerEpoch;
    if (stepsPerEpoch == 0)
        return {};
    return stepRows(epochOrder(rows, config, step / stepsPerEpoch), config, step % stepsPerEpoch);
}

std::vector<std::vector<size_t>> stepRows(std::span<const size_t> order, const RunConfig& config, int64_t stepInEpoch)
{
    const auto batch = static_cast<size_t>(config.batchSize);
    const auto group = static_cast<size_t>(config.batchSize * config.accumulationSteps);
    const size_t begin = std::min(order.size(), static_cast<size_t>(stepInEpoch) * group);
    const size_t end = begin + std::min(group, order.size() - begin);
    std::vector<std::vector<size_t>> microBatches;
    for (size_t at = begin; at < end; at += batch) {
        const auto rows = order.subspan(at, std::min(batch, end - at));
        microBatches.emplace_back(rows.begin(), rows.end());
    }
    return microBatches;
}

MicroBatch collate(
    std::span<const TokenRow> rows, std::span<const size_t> indexes, const RunConfig& config, TokenId padId)
{
    const size_t slots = paddedLength(rows, indexes, config);
    MicroBatch batch;
    batch.segmentStarts.push_back(0);
    for (const size_t index : indexes) {
        const TokenRow& row = rows[index];
        const size_t padding = slots > row.ids.size() ? slots - row.ids.size() : 0;
        const bool left = config.paddingSide == PaddingSide::left;
        appendPadding(batch, left ? padding : 0, padId);
        appendRow(batch, row);
        appendPadding(batch, left ? 0 : padding, padId);
    }
    return batch;
}

} // namespace tunebench
