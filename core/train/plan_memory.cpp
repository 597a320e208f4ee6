#include "core/train/plan_memory.h"

#include "core/config/cards.h"
#include "core/data/length_statistics.h"
#include "core/data/micro_batches.h"
#include "core/train/dry_run.h"
#include "core/train/run_inputs.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

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

/// The rows that a run with these options trains on.
std::vector<PlannedRow> trainingRows(std::span<const RowExtent> all, const RunConfig& config)
{
    auto usable = usableRows(all, config);
    if (config.maxRows && *config.maxRows < std::ssize(usable))
        usable.resize(static_cast<size_t>(*config.maxRows));
    if (!config.evalDataset.empty())
        return usable;
    const auto isHeldOut = drawHeldOut(usable.size(), config);
    size_t index = 0;
    std::erase_if(usable, [&](const PlannedRow&) { return isHeldOut[index++]; });
    return usable;
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

/// Micro-batches of the run that may need the most memory.
class Extremes {
public:
    Extremes(std::span<const PlannedRow> rows, const RunConfig& config)
        : m_rows(rows)
    {
        std::vector<size_t> lengths;
        std::ranges::transform(rows, std::back_inserter(lengths), &PlannedRow::tokens);
        BatchPlan plan(lengths, config);
        m_counts = plan.counts();
        for (int64_t step = 0; step < plan.counts().totalSteps; ++step) {
            for (const auto& sequences : plan.microBatches(step))
                consider(sequences);
        }
    }

    /// One accumulation group of nothing but extreme micro-batches. No step needs more than this one, however many
    /// there are: gradients and the optimizer's state are there from the beginning, and a micro-batch leaves nothing
    /// behind.
    std::vector<MicroBatch> group(const RunConfig& config) const
    {
        std::vector<MicroBatch> group;
        for (auto extreme = m_extremes.begin(); extreme != m_extremes.end(); ++extreme) {
            const auto same = [&](const Extreme& other) { return other.sequences == extreme->sequences; };
            if (std::none_of(m_extremes.begin(), extreme, same))
                group.push_back(microBatch(extreme->sequences, config));
        }
        return group;
    }

    const StepCounts& counts() const { return m_counts; }

private:
    struct Extreme {
        double measure = 0;
        std::vector<Sequence> sequences;
    };

    MicroBatch microBatch(const std::vector<Sequence>& sequences, const RunConfig& config) const
    {
        std::vector<TokenRow> rows;
        std::vector<Sequence> renumbered;
        for (const Sequence& sequence : sequences) {
            renumbered.emplace_back();
            for (const size_t row : sequence) {
                renumbered.back().push_back(rows.size());
                rows.push_back(rowOfShape(m_rows[row]));
            }
        }
        return collate(rows, renumbered, config, 0);
    }

    void consider(const std::vector<Sequence>& sequences)
    {
        size_t tokens = 0, longest = 0, supervised = 0;
        for (const Sequence& sequence : sequences) {
            for (const size_t row : sequence) {
                tokens += m_rows[row].tokens();
                longest = std::max(longest, m_rows[row].longest());
                supervised += m_rows[row].supervised();
            }
        }
        for (size_t i = 0; i < m_extremes.size(); ++i) {
            const auto& direction = directions[i];
            const double measure = direction[0] * static_cast<double>(tokens)
                + direction[1] * static_cast<double>(supervised) + direction[2] * static_cast<double>(longest);
            if (measure > m_extremes[i].measure)
                m_extremes[i] = { measure, sequences };
        }
    }

    std::span<const PlannedRow> m_rows;
    std::array<Extreme, directions.size()> m_extremes;
    StepCounts m_counts;
};

} // namespace

Result<std::vector<RowExtent>> datasetExtents(const RunConfig& config, int64_t vocabularySize)
{
    const auto text = openTextFor(config);
    if (!text)
        return tl::unexpected(text.error());
    const auto setup = keepingSetup(*text ? &**text : nullptr, config.model, vocabularySize);
    return inspectDataset(config.dataset, config, setup).map([](DatasetInspection found) {
        return std::move(found.extents);
    });
}

Result<MemoryPlan> planMemory(const ConfigChoice& choice, std::span<const RowExtent> extents)
{
    auto opened = openRunModel(choice, [](const std::string&, bool) {});
    if (!opened)
        return tl::unexpected(opened.error());
    const RunConfig& config = opened->config;
    const auto rows = trainingRows(extents, config);
    if (rows.empty())
        return failure("No row is left to train on; choose a longer max_length, or other rows.");
    const Extremes extremes(rows, config);
    const std::vector<std::vector<MicroBatch>> steps { extremes.group(config) };
    const auto planned = dryRun(config, opened->model.spec, steps);
    if (!planned)
        return tl::unexpected(planned.error());
    return MemoryPlan { planned->peakAllocated, planned->resident, planned->atPeak, planned->place, limitBytes(config),
        config, extremes.counts() };
}

} // namespace tunebench
