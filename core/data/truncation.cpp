#include "core/data/truncation.h"

#include <algorithm>

namespace tunebench {
namespace {

bool isSupervised(TokenId label)
{
    return label != ignoredLabel;
}

} // namespace

Read<RowCut> truncateRow(TokenRow& row, int64_t maxLength, Truncation side)
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

} // namespace tunebench
