#include "core/data/micro_batches.h"

#include "core/data/permutation.h"

#include <algorithm>
#include <cmath>
#include <functional>
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

/// Tokens that attend to one another: a row, or an answer's row of a pair.
struct Strip {
    std::span<const TokenId> ids, labels;
};

void appendStrip(MicroBatch& batch, const Strip& strip)
{
    const size_t length = strip.ids.size();
    for (size_t i = 0; i < length; ++i) {
        const TokenId target = i + 1 < length ? strip.labels[i + 1] : ignoredLabel;
        batch.ids.push_back(strip.ids[i]);
        batch.positions.push_back(static_cast<int64_t>(i));
        batch.targets.push_back(target);
        batch.supervised += target != ignoredLabel;
    }
    batch.tokens += static_cast<int64_t>(length);
    batch.segmentStarts.push_back(static_cast<int64_t>(batch.ids.size()));
}

/// Tokens of each sequence, where lengthOf(row) gives those of a row.
template <class LengthOf> std::vector<size_t> sequenceLengths(std::span<const Sequence> sequences, LengthOf lengthOf)
{
    std::vector<size_t> lengths;
    lengths.reserve(sequences.size());
    for (const Sequence& sequence : sequences)
        lengths.push_back(
            std::transform_reduce(sequence.begin(), sequence.end(), size_t { 0 }, std::plus {}, lengthOf));
    return lengths;
}

/// Strips that padding makes equally long: the rows of a sequence together, or each answer's row of a pair.
std::vector<std::vector<Strip>> stripsOf(std::span<const TokenRow> rows, std::span<const Sequence> sequences)
{
    std::vector<std::vector<Strip>> strips;
    for (const Sequence& sequence : sequences) {
        strips.emplace_back();
        for (const size_t index : sequence) {
            const TokenRow& row = rows[index];
            const Strip whole { row.ids, row.labels };
            if (row.rejected == 0) {
                strips.back().push_back(whole);
                continue;
            }
            strips.back().push_back({ whole.ids.first(row.rejected), whole.labels.first(row.rejected) });
            strips.push_back({ { whole.ids.subspan(row.rejected), whole.labels.subspan(row.rejected) } });
        }
    }
    return strips;
}

size_t lengthOf(const std::vector<Strip>& strips)
{
    return std::transform_reduce(
        strips.begin(), strips.end(), size_t { 0 }, std::plus {}, [](const Strip& strip) { return strip.ids.size(); });
}

/// Slots that each group of strips takes; 0 where they take what they need.
size_t paddedLength(std::span<const std::vector<Strip>> strips, const RunConfig& config)
{
    if (config.padding == Padding::none)
        return 0;
    size_t longest = config.padding == Padding::maxLength ? static_cast<size_t>(config.maxLength) : 0;
    for (const auto& some : strips)
        longest = std::max(longest, lengthOf(some));
    return longest;
}

} // namespace

StepCounts countSteps(int64_t sequences, const RunConfig& config)
{
    StepCounts counts;
    counts.effectiveBatch = config.rowsPerStep();
    counts.stepsPerEpoch = ceilDivide(sequences, counts.effectiveBatch);
    counts.totalSteps = stepsOfEpochs(config.epochs, counts.stepsPerEpoch);
    if (config.maxSteps)
        counts.totalSteps = std::min(counts.totalSteps, *config.maxSteps);
    return counts;
}

std::string fewUpdatesText(const StepCounts& counts)
{
    constexpr int64_t fewest = 20;
    if (counts.stepsPerEpoch >= fewest)
        return {};
    return "An epoch has only " + std::to_string(counts.stepsPerEpoch)
        + (counts.stepsPerEpoch == 1 ? " update" : " updates")
        + " of the weights; a smaller batch_size or fewer accumulation_steps give more, and so do more epochs in all.";
}

std::vector<size_t> lengthsOf(std::span<const TokenRow> rows)
{
    std::vector<size_t> lengths;
    lengths.reserve(rows.size());
    for (const TokenRow& row : rows)
        lengths.push_back(row.ids.size());
    return lengths;
}

std::vector<size_t> groupedByLength(std::vector<size_t> order, std::span<const size_t> lengths, size_t effectiveBatch)
{
    constexpr size_t mostBatches = 50;
    const size_t batches = std::clamp<size_t>(order.size() / (effectiveBatch * 4), 1, mostBatches);
    const auto chunk = static_cast<std::ptrdiff_t>(std::min(order.size(), batches * effectiveBatch));
    const auto lengthAt = [&](size_t sequence) { return lengths[sequence]; };
    for (auto at = order.begin(); at != order.end();) {
        const auto end = at + std::min(chunk, order.end() - at);
        std::ranges::stable_sort(at, end, std::greater {}, lengthAt);
        at = end;
    }
    if (!order.empty())
        std::iter_swap(order.begin(), std::ranges::max_element(order, {}, lengthAt));
    return order;
}

std::vector<size_t> epochOrder(std::span<const size_t> lengths, const RunConfig& config, int64_t epoch)
{
    if (config.order == RowOrder::sequential) {
        std::vector<size_t> order(lengths.size());
        std::iota(order.begin(), order.end(), size_t { 0 });
        return order;
    }
    auto order = permutation(lengths.size(), static_cast<uint64_t>(config.seed), static_cast<uint64_t>(epoch));
    if (config.order == RowOrder::shuffle)
        return order;
    return groupedByLength(std::move(order), lengths, static_cast<size_t>(config.rowsPerStep()));
}

BatchPlan::BatchPlan(std::span<const size_t> lengths, const RunConfig& config)
    : m_config(config)
    , m_sequences(makeSequences(lengths, config))
    , m_lengths(sequenceLengths(m_sequences, [&](size_t row) { return lengths[row]; }))
    , m_counts(countSteps(std::ssize(m_sequences), config))
{
}

std::vector<std::vector<Sequence>> BatchPlan::microBatches(int64_t step)
{
    if (m_counts.stepsPerEpoch == 0)
        return {};
    const int64_t epoch = step / m_counts.stepsPerEpoch;
    if (epoch != m_epoch) {
        m_order = epochOrder(m_lengths, m_config, epoch);
        m_epoch = epoch;
    }
    const auto batch = static_cast<size_t>(m_config.batchSize);
    const auto group = static_cast<size_t>(m_counts.effectiveBatch);
    const size_t begin = static_cast<size_t>(step % m_counts.stepsPerEpoch) * group;
    const size_t end = begin + std::min(group, m_order.size() - begin);
    std::vector<std::vector<Sequence>> microBatches;
    for (size_t at = begin; at < end; ++at) {
        if ((at - begin) % batch == 0)
            microBatches.emplace_back();
        microBatches.back().push_back(m_sequences[m_order[at]]);
    }
    return microBatches;
}

MicroBatch collate(
    std::span<const TokenRow> rows, std::span<const Sequence> sequences, const RunConfig& config, TokenId padId)
{
    const auto strips = stripsOf(rows, sequences);
    const size_t slots = paddedLength(strips, config);
    const bool pairs = strips.size() > sequences.size();
    MicroBatch batch;
    batch.segmentStarts.push_back(0);
    for (size_t i = 0; i < strips.size(); ++i) {
        const size_t padding = slots - std::min(slots, lengthOf(strips[i]));
        const bool left = config.paddingSide == PaddingSide::left;
        appendPadding(batch, left ? padding : 0, padId);
        if (pairs)
            (i % 2 == 0 ? batch.chosenSegments : batch.rejectedSegments).push_back(std::ssize(batch.segmentStarts) - 1);
        for (const Strip& strip : strips[i])
            appendStrip(batch, strip);
        appendPadding(batch, left ? 0 : padding, padId);
    }
    return batch;
}

} // namespace tunebench
