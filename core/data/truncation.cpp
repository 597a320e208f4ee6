#include "core/data/truncation.h"

#include <algorithm>

namespace tunebench {
namespace {

bool isSupervised(TokenId label)
{
    return label != ignoredLabel;
}

Read<RowCut> truncateSingle(TokenRow& row, int64_t maxLength, Truncation side)
{
    const auto limit = static_cast<std::ptrdiff_t>(maxLength);
    const auto excess = std::max<std::ptrdiff_t>(0, std::ssize(row.ids) - limit);
    const std::string limitWords = std::to_string(maxLength) + " tokens";
    if (excess > 0 && side == Truncation::drop)
        return refuse("it has " + std::to_string(row.ids.size()) + " tokens, more than max_length of " + limitWords);
    RowCut cut { excess, false };
    if (excess > 0) {
        const bool left = side == Truncation::left;
        const std::ptrdiff_t from = left ? 0 : limit;
        const auto lost = row.labels.begin() + from;
        // The first token that is left after a left cut is nobody's target any more.
        cut.answer = std::any_of(std::max(lost, row.labels.begin() + 1), lost + excess + left, isSupervised);
        row.labels.erase(lost, lost + excess);
        row.ids.erase(row.ids.begin() + from, row.ids.begin() + from + excess);
    }
    if (row.labels.empty() || std::none_of(row.labels.begin() + 1, row.labels.end(), isSupervised))
        return refuse(excess > 0 ? "nothing left to learn after truncation to " + limitWords
                                 : "it has no supervised token to learn");
    return cut;
}

/// Each answer's row is cut by itself.
Read<RowCut> truncatePair(TokenRow& pair, int64_t maxLength, Truncation side)
{
    const auto border = static_cast<std::ptrdiff_t>(pair.rejected);
    TokenRow rejected { { pair.ids.begin() + border, pair.ids.end() },
        { pair.labels.begin() + border, pair.labels.end() } };
    pair.ids.resize(pair.rejected);
    pair.labels.resize(pair.rejected);
    const auto first = truncateSingle(pair, maxLength, side);
    const auto second = truncateSingle(rejected, maxLength, side);
    if (!first || !second)
        return refuse(first ? "rejected: " + second.error() : "chosen: " + first.error());
    pair.rejected = pair.ids.size();
    pair.ids.insert(pair.ids.end(), rejected.ids.begin(), rejected.ids.end());
    pair.labels.insert(pair.labels.end(), rejected.labels.begin(), rejected.labels.end());
    return RowCut { first->tokens + second->tokens, first->answer || second->answer };
}

} // namespace

Read<RowCut> truncateRow(TokenRow& row, int64_t maxLength, Truncation side)
{
    return row.rejected > 0 ? truncatePair(row, maxLength, side) : truncateSingle(row, maxLength, side);
}

} // namespace tunebench
