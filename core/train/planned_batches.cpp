#include "core/train/planned_batches.h"

#include "core/data/evaluation_batches.h"
#include "core/data/length_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace tunebench {
namespace {

/// A row of the training, or a pair of rows, by extents after truncation.
struct PlannedRow {
    RowExtent row;
    std::optional<RowExtent> rejected {};

    size_t tokens() const { return row.tokens + (rejected ? rejected->tokens : 0); }
    size_t supervised() const { return row.supervised + (rejected ? rejected->supervised : 0); }
    size_t longest() const { return std::max(row.tokens, rejected ? rejected->tokens : 0); }
};

void appendShape(TokenRow& row, const RowExtent& extent)
{
    const size_t begin = row.ids.size();
    row.ids.resize(begin + extent.tokens, 0);
    row.labels.resize(begin + extent.tokens, ignoredLabel);
    const auto first = std::min(extent.firstTarget, extent.tokens);
    const auto count = std::min(extent.supervised, extent.tokens - first);
    std::fill_n(row.labels.begin() + static_cast<std::ptrdiff_t>(begin) + first, count, 0);
}

/// A row of the given shape; memory does not depend on what its tokens say.
TokenRow rowOfShape(const PlannedRow& planned)
{
    TokenRow row;
    appendShape(row, planned.row);
    if (planned.rejected) {
        row.rejected = row.ids.size();
        appendShape(row, *planned.rejected);
    }
    return row;
}

/// Rows, or pairs of rows, that truncation leaves.
std::vector<PlannedRow> usableRows(std::span<const RowExtent> all, const RunConfig& config)
{
    std::vector<PlannedRow> rows;
    if (config.objective != Objective::dpo) {
        for (const RowExtent& extent : truncatedExtents(all, config))
            rows.push_back({ extent });
        return rows;
    }
    for (size_t i = 0; i + 1 < all.size(); i += 2) {
        const auto chosen = truncatedExtent(all[i], config.maxLength, config.truncation);
        const auto rejected = truncatedExtent(all[i + 1], config.maxLength, config.truncation);
        if (chosen && rejected)
            rows.push_back({ *chosen, *rejected });
    }
    return rows;
}

/// The rows that a run with these options trains on, and those that it holds out of them.
struct PlannedSplit {
    std::vector<PlannedRow> training, heldOut;
};

PlannedSplit splitOf(const RunExtents& extents, const RunConfig& config)
{
    auto usable = usableRows(extents.dataset, config);
    if (config.maxRows && *config.maxRows < std::ssize(usable))
        usable.resize(static_cast<size_t>(*config.maxRows));
    PlannedSplit split { {}, usableRows(extents.evaluation, config) };
    if (!config.evalDataset.empty()) {
        split.training = std::move(usable);
        return split;
    }
    const auto isHeldOut = drawHeldOut(usable.size(), config);
    for (size_t i = 0; i < usable.size(); ++i)
        (isHeldOut[i] ? split.heldOut : split.training).push_back(usable[i]);
    return split;
}

std::vector<size_t> lengthsOf(std::span<const PlannedRow> rows)
{
    std::vector<size_t> lengths;
    std::ranges::transform(rows, std::back_inserter(lengths), &PlannedRow::tokens);
    return lengths;
}

/// What memory may grow with, and how much of each: tokens, supervised tokens, the longest row. At each moment of a
/// step memory is near a linear function of the three, so its maximum over the run's micro-batches is the maximum in
/// one of many directions.
constexpr auto directions = [] {
    constexpr std::array supervised { 0.0, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1.0, 2.0, 4.0, 16.0 };
    constexpr std::array longest { 0.0, 1.0 / 8, 1.0, 8.0 };
    std::array<std::array<double, 3>, supervised.size() * longest.size() + 1> all {};
    size_t next = 0;
    for (const double s : supervised) {
        for (const double l : longest)
            all[next++] = { 1, s, l };
    }
    all[next] = { 1.0 / 1024, 0, 1 };
    return all;
}();

/// What the memory and the time of a micro-batch grow with.
struct BatchSize {
    double tokens = 0, supervised = 0, longest = 0;
    double pairs = 0; ///< of tokens that attend to each other: the rows' lengths squared

    void add(const PlannedRow& row)
    {
        tokens += static_cast<double>(row.tokens());
        supervised += static_cast<double>(row.supervised());
        longest = std::max(longest, static_cast<double>(row.longest()));
        pairs += static_cast<double>(row.tokens()) * static_cast<double>(row.tokens());
    }

    bool within(const BatchSize& other) const
    {
        return tokens <= other.tokens && supervised <= other.supervised && longest <= other.longest;
    }
};

using Sequences = std::vector<Sequence>;

/// A micro-batch by its rows.
struct Candidate {
    BatchSize size;
    Sequences sequences;

    Candidate() = default;
    Candidate(Sequences numbers, std::span<const PlannedRow> rows)
        : sequences(std::move(numbers))
    {
        for (const Sequence& sequence : sequences) {
            for (const size_t row : sequence)
                size.add(rows[row]);
        }
    }
};

/// Keeps the micro-batch that reaches furthest in each direction.
class Extremes {
public:
    void consider(const Candidate& candidate)
    {
        for (size_t i = 0; i < m_furthest.size(); ++i) {
            const auto& [tokens, supervised, longest] = directions[i];
            const BatchSize& size = candidate.size;
            const double reach = tokens * size.tokens + supervised * size.supervised + longest * size.longest;
            if (reach > m_reach[i]) {
                m_reach[i] = reach;
                m_furthest[i] = candidate;
            }
        }
    }

    /// Without those that are no larger than another in anything.
    std::vector<Candidate> furthest() const
    {
        std::vector<Candidate> kept;
        for (const Candidate& one : m_furthest) {
            const auto covers = [&](const Candidate& other) { return one.size.within(other.size); };
            if (one.sequences.empty() || std::ranges::any_of(kept, covers))
                continue;
            std::erase_if(kept, [&](const Candidate& other) { return other.size.within(one.size); });
            kept.push_back(one);
        }
        return kept;
    }

private:
    std::array<double, directions.size()> m_reach {};
    std::array<Candidate, directions.size()> m_furthest;
};

/// Means over all micro-batches, and some of them, evenly spread.
class Sample {
public:
    void consider(const Candidate& candidate)
    {
        m_sum.tokens += candidate.size.tokens;
        m_sum.supervised += candidate.size.supervised;
        m_sum.pairs += candidate.size.pairs;
        if (m_count++ % m_every != 0)
            return;
        m_kept.push_back(candidate);
        if (m_kept.size() <= most)
            return;
        for (size_t i = 0; 2 * i < m_kept.size(); ++i)
            m_kept[i] = m_kept[2 * i];
        m_kept.resize((m_kept.size() + 1) / 2);
        m_every *= 2;
    }

    const Candidate& typical() const
    {
        return *std::ranges::min_element(m_kept, {}, [this](const Candidate& one) { return distance(one.size); });
    }

    size_t count() const { return m_count; }
    double meanTokens() const { return m_sum.tokens / static_cast<double>(m_count); }

private:
    static constexpr size_t most = 64;

    double distance(const BatchSize& size) const
    {
        const auto off = [this](double value, double sum) {
            const double mean = sum / static_cast<double>(m_count);
            return mean > 0 ? std::abs(value - mean) / mean : 0;
        };
        return off(size.tokens, m_sum.tokens) + off(size.supervised, m_sum.supervised) / 4
            + off(size.pairs, m_sum.pairs) / 4;
    }

    size_t m_count = 0, m_every = 1;
    BatchSize m_sum;
    std::vector<Candidate> m_kept;
};

MicroBatch microBatchOf(const Candidate& candidate, std::span<const PlannedRow> planned, const RunConfig& config)
{
    std::vector<TokenRow> rows;
    Sequences renumbered;
    for (const Sequence& sequence : candidate.sequences) {
        renumbered.emplace_back();
        for (const size_t row : sequence) {
            renumbered.back().push_back(rows.size());
            rows.push_back(rowOfShape(planned[row]));
        }
    }
    return collate(rows, renumbered, config, 0);
}

/// Micro-batches of the evaluation that training's own do not cover.
std::vector<MicroBatch> planEvaluation(
    std::span<const PlannedRow> heldOut, std::span<const Candidate> training, int64_t slots, const RunConfig& config)
{
    Extremes extremes;
    for (auto& sequences : evaluationBatches(lengthsOf(heldOut), slots, config))
        extremes.consider({ std::move(sequences), heldOut });
    RunConfig unpadded = config; // as evaluations have it
    unpadded.padding = Padding::none;
    std::vector<MicroBatch> larger;
    for (const Candidate& candidate : extremes.furthest()) {
        if (std::ranges::none_of(training, [&](const Candidate& one) { return candidate.size.within(one.size); }))
            larger.push_back(microBatchOf(candidate, heldOut, unpadded));
    }
    return larger;
}

} // namespace

PlannedBatches planBatches(const RunExtents& extents, const RunConfig& config)
{
    const auto [rows, heldOut] = splitOf(extents, config);
    if (rows.empty())
        return {};
    const auto lengths = lengthsOf(rows);
    BatchPlan plan(lengths, config);
    Extremes extremes;
    Sample sample;
    for (int64_t step = 0; step < plan.counts().totalSteps; ++step) {
        for (auto& sequences : plan.microBatches(step)) {
            const Candidate candidate(std::move(sequences), rows);
            extremes.consider(candidate);
            sample.consider(candidate);
        }
    }
    PlannedBatches planned { .heldOut = heldOut.size(), .counts = plan.counts() };
    if (sample.count() == 0)
        return planned;
    const auto furthest = extremes.furthest();
    for (const Candidate& candidate : furthest)
        planned.extreme.push_back(microBatchOf(candidate, rows, config));
    planned.evaluation = planEvaluation(heldOut, furthest, usualSlots(lengths, plan, config), config);
    planned.typical = microBatchOf(sample.typical(), rows, config);
    planned.typicalShare = sample.meanTokens() / static_cast<double>(planned.typical.tokens);
    planned.microBatchesPerStep = static_cast<double>(sample.count()) / static_cast<double>(plan.counts().totalSteps);
    return planned;
}

} // namespace tunebench
