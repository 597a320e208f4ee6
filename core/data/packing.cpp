#include "core/data/packing.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tunebench {
namespace {

std::vector<Sequence> packInOrder(std::span<const size_t> lengths, size_t most)
{
    std::vector<Sequence> sequences;
    size_t room = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
        if (sequences.empty() || lengths[i] > room) {
            sequences.emplace_back();
            room = most;
        }
        sequences.back().push_back(i);
        room -= std::min(room, lengths[i]);
    }
    return sequences;
}

std::vector<Sequence> packBestFit(std::span<const size_t> lengths, size_t most)
{
    std::vector<size_t> longestFirst(lengths.size());
    std::iota(longestFirst.begin(), longestFirst.end(), size_t { 0 });
    std::ranges::stable_sort(longestFirst, std::greater {}, [&](size_t i) { return lengths[i]; });

    std::vector<Sequence> sequences;
    std::multimap<size_t, size_t> bySpace; // room in tokens -> sequence; of equal room the oldest comes first
    for (const size_t i : longestFirst) {
        auto fit = bySpace.lower_bound(lengths[i]);
        if (fit == bySpace.end()) {
            sequences.emplace_back();
            fit = bySpace.emplace(std::max(most, lengths[i]), sequences.size() - 1);
        }
        const auto [room, sequence] = *fit;
        sequences[sequence].push_back(i);
        bySpace.erase(fit);
        bySpace.emplace(room - lengths[i], sequence);
    }
    return sequences;
}

} // namespace

std::vector<Sequence> makeSequences(std::span<const size_t> lengths, const RunConfig& config)
{
    if (config.packing) {
        const auto most = static_cast<size_t>(config.maxLength);
        return config.order == RowOrder::sequential ? packInOrder(lengths, most) : packBestFit(lengths, most);
    }
    std::vector<Sequence> sequences;
    sequences.reserve(lengths.size());
    for (size_t i = 0; i < lengths.size(); ++i)
        sequences.push_back({ i });
    return sequences;
}

} // namespace tunebench
