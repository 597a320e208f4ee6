#include "core/data/split_micro_batch.h"

#include <algorithm>

namespace tunebench {
namespace {

bool hasTarget(const MicroBatch& batch, size_t segment)
{
    const auto begin = batch.targets.begin() + batch.segmentStarts[segment];
    const auto end = batch.targets.begin() + batch.segmentStarts[segment + 1];
    return std::any_of(begin, end, [](int64_t target) { return target != ignoredLabel; });
}

size_t segmentCount(const MicroBatch& batch)
{
    return batch.segmentStarts.size() - 1;
}

/// The segments that a row or a pair begins with, its padding included.
std::vector<size_t> beginnings(const MicroBatch& batch, PaddingSide side)
{
    std::vector<size_t> rows(batch.chosenSegments.begin(), batch.chosenSegments.end());
    for (size_t segment = 0; batch.chosenSegments.empty() && segment < segmentCount(batch); ++segment) {
        if (hasTarget(batch, segment))
            rows.push_back(segment);
    }
    for (size_t& row : rows) {
        if (side == PaddingSide::left && row > 0 && !hasTarget(batch, row - 1))
            --row;
    }
    return rows;
}

/// Segments [first, last) of a micro-batch.
MicroBatch part(const MicroBatch& batch, size_t first, size_t last)
{
    const int64_t begin = batch.segmentStarts[first];
    const int64_t end = batch.segmentStarts[last];
    const auto slots
        = [&](const std::vector<int64_t>& all) { return std::vector<int64_t>(all.begin() + begin, all.begin() + end); };
    MicroBatch part { .ids = slots(batch.ids), .positions = slots(batch.positions), .targets = slots(batch.targets) };
    for (size_t segment = first; segment <= last; ++segment)
        part.segmentStarts.push_back(batch.segmentStarts[segment] - begin);
    const auto segments = [&](const std::vector<int64_t>& all) {
        std::vector<int64_t> some;
        for (const int64_t segment : all) {
            if (segment >= static_cast<int64_t>(first) && segment < static_cast<int64_t>(last))
                some.push_back(segment - static_cast<int64_t>(first));
        }
        return some;
    };
    part.chosenSegments = segments(batch.chosenSegments);
    part.rejectedSegments = segments(batch.rejectedSegments);
    part.supervised = std::ranges::count_if(part.targets, [](int64_t target) { return target != ignoredLabel; });
    part.slotsBefore = batch.slotsBefore + begin;
    part.slotsAfter = batch.slotsAfter + std::ssize(batch.ids) - end;
    return part;
}

} // namespace

std::vector<TokenRow> rowsOf(const MicroBatch& batch)
{
    std::vector<TokenRow> rows;
    const auto append = [&](TokenRow& row, size_t segment) {
        for (int64_t slot = batch.segmentStarts[segment]; slot < batch.segmentStarts[segment + 1]; ++slot) {
            const bool first = slot == batch.segmentStarts[segment];
            row.ids.push_back(static_cast<TokenId>(batch.ids[static_cast<size_t>(slot)]));
            row.labels.push_back(
                first ? ignoredLabel : static_cast<TokenId>(batch.targets[static_cast<size_t>(slot - 1)]));
        }
    };
    for (size_t i = 0; i < batch.chosenSegments.size(); ++i) {
        append(rows.emplace_back(), static_cast<size_t>(batch.chosenSegments[i]));
        rows.back().rejected = rows.back().ids.size();
        append(rows.back(), static_cast<size_t>(batch.rejectedSegments[i]));
    }
    for (size_t segment = 0; batch.chosenSegments.empty() && segment < segmentCount(batch); ++segment) {
        if (hasTarget(batch, segment))
            append(rows.emplace_back(), segment);
    }
    return rows;
}

std::vector<int64_t> rowLengths(const MicroBatch& batch)
{
    std::vector<int64_t> lengths;
    for (size_t segment = 0; segment < segmentCount(batch); ++segment) {
        if (hasTarget(batch, segment))
            lengths.push_back(batch.segmentStarts[segment + 1] - batch.segmentStarts[segment]);
    }
    return lengths;
}

std::optional<std::pair<MicroBatch, MicroBatch>> halved(const MicroBatch& batch, PaddingSide side)
{
    const auto rows = beginnings(batch, side);
    if (rows.size() < 2)
        return std::nullopt;
    const size_t cut = rows[rows.size() / 2];
    std::pair parts { part(batch, 0, cut), part(batch, cut, segmentCount(batch)) };
    for (const int64_t length : rowLengths(parts.second))
        parts.second.tokens += length;
    parts.first.tokens = batch.tokens - parts.second.tokens; // they add up, whatever is padding
    return parts;
}

} // namespace tunebench
