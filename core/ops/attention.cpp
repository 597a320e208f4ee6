#include "core/ops/attention.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tunebench {
namespace {

/// Queries in one block: large enough for fast products, small enough that a block of scores stays in the cache.
constexpr int64_t queryBlock = 128;

/// One segment in fp32. Queries are grouped under the key-value head that they share, query by query, so that a block
/// of queries is one slice: [key-value heads, length * group, size].
struct Segment {
    at::Tensor query, key, value; ///< key, value: [key-value heads, length, size]
    int64_t length, group;
    double scale;

    Segment(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)
        : query(grouped(q, k.size(1)))
        , key(k.transpose(0, 1).to(at::kFloat))
        , value(v.transpose(0, 1).to(at::kFloat))
        , length(k.size(0))
        , group(q.size(1) / k.size(1))
        , scale(1 / std::sqrt(static_cast<double>(q.size(2))))
    {
    }

    /// [length, heads, size] -> [key-value heads, length * group, size]
    static at::Tensor grouped(const at::Tensor& x, int64_t keyValueHeads)
    {
        return x.view({ x.size(0), keyValueHeads, -1, x.size(2) })
            .transpose(0, 1)
            .to(at::kFloat)
            .reshape({ keyValueHeads, -1, x.size(2) });
    }

    /// Writes [key-value heads, count * group, size] into target [count, heads, size].
    void ungroupInto(const at::Tensor& target, const at::Tensor& x) const
    {
        const int64_t keyValueHeads = x.size(0);
        target.view({ target.size(0), keyValueHeads, group, x.size(2) })
            .copy_(x.view({ keyValueHeads, -1, group, x.size(2) }).transpose(0, 1));
    }

    at::Tensor queryRows(const at::Tensor& x, int64_t first, int64_t count) const
    {
        return x.narrow(1, first * group, count * group);
    }

    /// Attention weights of `count` queries from `first` over the keys up to the last of them.
    at::Tensor weights(int64_t first, int64_t count, const at::Tensor& mask) const
    {
        const auto keys = key.narrow(1, 0, first + count).transpose(1, 2);
        const auto queries = queryRows(query, first, count);
        auto scores = at::bmm(queries, keys);
        scores.mul_(scale);
        scores.narrow(2, first, count)
            .masked_fill_(
                mask.narrow(0, 0, count * group).narrow(1, 0, count), -std::numeric_limits<float>::infinity());
        return at::_softmax(scores, -1, false);
    }
};

/// [queryBlock * group, queryBlock]: true where the key comes after the query.
at::Tensor futureMask(const at::Tensor& like, int64_t longest, int64_t group)
{
    const int64_t side = std::min(longest, queryBlock);
    return at::ones({ side, side }, like.options().dtype(at::kBool)).triu_(1).repeat_interleave(group, 0);
}

int64_t longestSegment(SegmentStarts segments)
{
    int64_t longest = 0;
    for (size_t s = 0; s + 1 < segments.size(); ++s)
        longest = std::max(longest, segments[s + 1] - segments[s]);
    return longest;
}

/// Calls body(segment's first token, its length) for each segment, and within it nothing is kept for the next one.
template <class Body> void forEachSegment(SegmentStarts segments, Body body)
{
    for (size_t s = 0; s + 1 < segments.size(); ++s)
        body(segments[s], segments[s + 1] - segments[s]);
}

} // namespace

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, SegmentStarts segments)
{
    auto output = at::empty_like(query);
    const auto mask = futureMask(query, longestSegment(segments), query.size(1) / key.size(1));
    forEachSegment(segments, [&](int64_t start, int64_t length) {
        const Segment segment(
            query.narrow(0, start, length), key.narrow(0, start, length), value.narrow(0, start, length));
        for (int64_t first = 0; first < length; first += queryBlock) {
            const int64_t count = std::min(queryBlock, length - first);
            const auto weights = segment.weights(first, count, mask);
            segment.ungroupInto(
                output.narrow(0, start + first, count), at::bmm(weights, segment.value.narrow(1, 0, first + count)));
        }
    });
    return output;
}

AttentionGradients attentionBackward(const at::Tensor& outputGradient, const at::Tensor& query, const at::Tensor& key,
    const at::Tensor& value, SegmentStarts segments)
{
    AttentionGradients gradients { at::empty_like(query), at::empty_like(key), at::empty_like(value) };
    const auto mask = futureMask(query, longestSegment(segments), query.size(1) / key.size(1));
    forEachSegment(segments, [&](int64_t start, int64_t length) {
        const Segment segment(
            query.narrow(0, start, length), key.narrow(0, start, length), value.narrow(0, start, length));
        const auto output = Segment::grouped(outputGradient.narrow(0, start, length), key.size(1));
        auto keyGradient = at::zeros_like(segment.key, at::MemoryFormat::Contiguous);
        auto valueGradient = at::zeros_like(segment.value, at::MemoryFormat::Contiguous);
        for (int64_t first = 0; first < length; first += queryBlock) {
            const int64_t count = std::min(queryBlock, length - first);
            const int64_t keys = first + count;
            const auto weights = segment.weights(first, count, mask);
            const auto rows = segment.queryRows(output, first, count);
            valueGradient.narrow(1, 0, keys).baddbmm_(weights.transpose(1, 2), rows);
            const auto scores = at::_softmax_backward_data(
                at::bmm(rows, segment.value.narrow(1, 0, keys).transpose(1, 2)), weights, -1, at::kFloat);
            keyGradient.narrow(1, 0, keys)
                .baddbmm_(scores.transpose(1, 2), segment.queryRows(segment.query, first, count), 1, segment.scale);
            segment.ungroupInto(gradients.query.narrow(0, start + first, count),
                at::bmm(scores, segment.key.narrow(1, 0, keys)).mul_(segment.scale));
        }
        gradients.key.narrow(0, start, length).copy_(keyGradient.transpose(0, 1));
        gradients.value.narrow(0, start, length).copy_(valueGradient.transpose(0, 1));
    });
    return gradients;
}

} // namespace tunebench
