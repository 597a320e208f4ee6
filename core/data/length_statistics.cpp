#include "core/data/length_statistics.h"

#include <algorithm>
#include <numeric>

namespace tunebench {
namespace {

/// Tokens that a cut takes off.
int64_t excess(const RowExtent& row, int64_t maxLength)
{
    return std::max<int64_t>(0, row.tokens - maxLength);
}

bool keepsNothing(const RowExtent& row, int64_t maxLength, Truncation side)
{
    const int64_t cut = excess(row, maxLength);
    // The first token that a left cut leaves is nobody's target any more.
    return cut > 0 && (side == Truncation::left ? row.lastTarget <= cut : row.firstTarget >= maxLength);
}

} // namespace

LengthSummary summarizeLengths(std::span<const RowExtent> rows)
{
    if (rows.empty())
        return {};
    std::vector<int64_t> sorted;
    sorted.reserve(rows.size());
    std::ranges::transform(rows, std::back_inserter(sorted), &RowExtent::tokens);
    std::ranges::sort(sorted);
    const auto percentile = [&](size_t percent) { return sorted[(sorted.size() * percent + 99) / 100 - 1]; };
    const auto sum = static_cast<double>(std::reduce(sorted.begin(), sorted.end()));
    return { sum / static_cast<double>(sorted.size()), percentile(50), percentile(90), percentile(95), percentile(99),
        sorted.back() };
}

bool losesAnswer(const RowExtent& row, int64_t maxLength, Truncation side)
{
    const int64_t cut = excess(row, maxLength);
    return cut > 0 && (side == Truncation::left ? row.firstTarget <= cut : row.lastTarget >= maxLength);
}

std::optional<RowExtent> truncatedExtent(const RowExtent& row, int64_t maxLength, Truncation side)
{
    const int64_t cut = excess(row, maxLength);
    if (cut == 0)
        return row;
    if (side == Truncation::drop || keepsNothing(row, maxLength, side))
        return std::nullopt;
    const int64_t shift = side == Truncation::left ? cut : 0;
    const int64_t first = std::max<int64_t>(1, row.firstTarget - shift);
    const int64_t last = std::min<int64_t>(row.lastTarget - shift, maxLength - 1);
    return RowExtent { static_cast<uint32_t>(maxLength),
        static_cast<uint32_t>(std::min<int64_t>(row.supervised, last - first + 1)), static_cast<uint32_t>(first),
        static_cast<uint32_t>(last) };
}

std::vector<RowExtent> truncatedExtents(std::span<const RowExtent> rows, const RunConfig& config)
{
    std::vector<RowExtent> kept;
    kept.reserve(rows.size());
    for (const RowExtent& row : rows) {
        if (const auto left = truncatedExtent(row, config.maxLength, config.truncation))
            kept.push_back(*left);
    }
    return kept;
}

CutCounts countCuts(std::span<const RowExtent> rows, int64_t maxLength, Truncation side)
{
    CutCounts counts;
    for (const RowExtent& row : rows) {
        counts.rows += excess(row, maxLength) > 0;
        counts.tokens += excess(row, maxLength);
        counts.answers += losesAnswer(row, maxLength, side);
        counts.nothingLeft += keepsNothing(row, maxLength, side);
    }
    return counts;
}

RowExtent extentOf(std::span<const TokenId> labels)
{
    RowExtent extent { static_cast<uint32_t>(labels.size()) };
    for (size_t i = 1; i < labels.size(); ++i) {
        if (labels[i] == ignoredLabel)
            continue;
        extent.lastTarget = static_cast<uint32_t>(i);
        if (extent.supervised++ == 0)
            extent.firstTarget = extent.lastTarget;
    }
    return extent;
}

std::vector<RowExtent> extentsOf(std::span<const TokenRow> rows)
{
    std::vector<RowExtent> extents;
    for (const TokenRow& row : rows) {
        const std::span<const TokenId> labels(row.labels);
        extents.push_back(extentOf(labels.first(row.rejected > 0 ? row.rejected : labels.size())));
        if (row.rejected > 0)
            extents.push_back(extentOf(labels.subspan(row.rejected)));
    }
    return extents;
}

LengthHistogram lengthHistogram(std::span<const RowExtent> rows, size_t mostBins)
{
    const int64_t longest = rows.empty() ? 0 : std::ranges::max(rows, {}, &RowExtent::tokens).tokens;
    LengthHistogram histogram;
    while (longest / histogram.width >= static_cast<int64_t>(mostBins))
        histogram.width *= 2;
    histogram.counts.resize(static_cast<size_t>(longest / histogram.width) + 1);
    for (const RowExtent& row : rows)
        ++histogram.counts[static_cast<size_t>(row.tokens / histogram.width)];
    return histogram;
}

} // namespace tunebench
