#include "core/text/tokenizer/sentencepiece_merges.h"

#include "core/text/utf8.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tunebench {

namespace {

/// No piece of a real vocabulary is longer; bounds the work that a damaged file can ask for.
constexpr size_t longestPiece = 4096;

/// 0 for the highest score; the same for the same score.
std::vector<uint32_t> ranksOf(const std::vector<double>& scores)
{
    std::vector<double> distinct = scores;
    std::sort(distinct.begin(), distinct.end(), std::greater<> {});
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<uint32_t> ranks;
    ranks.reserve(scores.size());
    for (const double score : scores) {
        const auto place = std::lower_bound(distinct.begin(), distinct.end(), score, std::greater<> {});
        ranks.push_back(static_cast<uint32_t>(place - distinct.begin()));
    }
    return ranks;
}

} // namespace

MergeTable sentencePieceMerges(const Vocabulary& vocabulary, const std::vector<double>& scores)
{
    const std::vector<uint32_t> ranks = ranksOf(scores);
    std::vector<MergeTable::Entry> found;
    const auto mergeable = [&](TokenId id) { return std::isfinite(scores[static_cast<size_t>(id)]); };
    for (size_t index = 0; index < scores.size(); ++index) {
        const auto id = static_cast<TokenId>(index);
        const std::string_view token = *vocabulary.tokenOf(id);
        if (token.empty() || token.size() > longestPiece || !std::isfinite(scores[index])) {
            continue;
        }
        for (size_t border = utf8Length(token[0]); border < token.size(); border += utf8Length(token[border])) {
            const auto left = vocabulary.idOf(token.substr(0, border));
            const auto right = vocabulary.idOf(token.substr(border));
            if (left && right && mergeable(*left) && mergeable(*right)) {
                found.push_back({ *left, *right, { ranks[index], id } });
            }
        }
    }
    return MergeTable(found);
}

} // namespace tunebench
