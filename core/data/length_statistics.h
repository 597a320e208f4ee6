#pragma once

#include "core/data/dataset.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tunebench {

/// Mean and nearest-rank percentiles, tokens. All 0 without rows.
struct LengthSummary {
    double mean = 0;
    int64_t p50 = 0, p90 = 0, p95 = 0, p99 = 0, longest = 0;

    /// A max_length that cuts at most one row in twenty: the 95th percentile, rounded up to a multiple of 8.
    int64_t suggestedMaxLength() const { return (p95 + 7) / 8 * 8; }
};
LengthSummary summarizeLengths(std::span<const RowExtent> rows);

/// What a max_length would do to the rows when the given side is cut off.
struct CutCounts {
    int64_t rows = 0; ///< longer than max_length
    int64_t tokens = 0; ///< cut off
    int64_t answers = 0; ///< rows that lose supervised tokens
    int64_t nothingLeft = 0; ///< rows with no supervised token left; they are refused
};
CutCounts countCuts(std::span<const RowExtent> rows, int64_t maxLength, Truncation side);

/// A row as truncation leaves it: shorter, with its targets moved; nothing when it is refused. Of a row whose
/// supervised tokens do not stand side by side, the count of those left is an upper bound.
std::optional<RowExtent> truncatedExtent(const RowExtent& row, int64_t maxLength, Truncation side);

/// The rows that truncation leaves by the options, as it leaves them.
std::vector<RowExtent> truncatedExtents(std::span<const RowExtent> rows, const RunConfig& config);

/// Whether a row loses supervised tokens.
bool losesAnswer(const RowExtent& row, int64_t maxLength, Truncation side);

/// How long rows are as they stand, and where something is to be learnt; of a preference pair the chosen row, then the
/// rejected one.
std::vector<RowExtent> extentsOf(std::span<const TokenRow> rows);
/// The same of one row by its labels.
RowExtent extentOf(std::span<const TokenId> labels);

/// Rows by length in bins of equal width: bin i counts lengths in [i * width, (i + 1) * width).
struct LengthHistogram {
    int64_t width = 1; ///< tokens; 1, 2, 4, 8, ...
    std::vector<int64_t> counts; ///< at most `mostBins`; the last bin holds the longest row
};
LengthHistogram lengthHistogram(std::span<const RowExtent> rows, size_t mostBins);

} // namespace tunebench
