#include "core/ops/attention.h"

#include "core/ops/views.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <limits>
#include <utility>

namespace tunebench {
namespace {

/// Queries in one block: large enough for fast products, small enough that a block of scores stays in the cache.
constexpr int64_t queryBlock = 128;

int64_t longestSegment(SegmentStarts segments)
{
    int64_t longest = 0;
    for (size_t s = 0; s + 1 < segments.size(); ++s)
        longest = std::max(longest, segments[s + 1] - segments[s]);
    return longest;
}

/// Which keys of a block of queries are not seen. Rows are the queries of the first block, each once for every head of
/// its group; what holds for that block holds for the others, shifted.
struct Masks {
    at::Tensor future; ///< [queryBlock * group, queryBlock]: the key comes after the query
    at::Tensor past; ///< the key comes before the query; undefined without a window

    Masks(const at::Tensor& like, SegmentStarts segments, int64_t group, const AttentionRule& rule)
        : Masks(like, longestSegment(segments), longestSegment(segments), group, rule)
    {
    }

    Masks(const at::Tensor& like, int64_t queries, int64_t keys, int64_t group, const AttentionRule& rule)
    {
        const int64_t side = std::min(queries, queryBlock);
        const auto ones = at::ones({ side, side }, like.options().dtype(at::kBool));
        future = ones.triu(1).repeat_interleave(group, 0);
        if (rule.window > 0 && rule.window < keys)
            past = ones.tril(-1).repeat_interleave(group, 0);
    }
};

/// A block of queries of a segment and the keys that one of them sees.
struct Block {
    int64_t first, count; ///< queries
    int64_t firstKey, keys;

    Block(int64_t firstQuery, int64_t length, int64_t window)
        : first(firstQuery)
        , count(std::min(queryBlock, length - firstQuery))
        , firstKey(window > 0 ? std::max<int64_t>(0, firstQuery - window + 1) : 0)
        , keys(first + count - firstKey)
    {
    }
};

/// scale * left right, of batches of matrices.
at::Tensor scaledProduct(const at::Tensor& left, const at::Tensor& right, double scale)
{
    const auto product = at::empty({ left.size(0), left.size(1), right.size(2) }, left.options());
    return product.baddbmm_(left, right, 0, scale); // times 0: what stands there is not read
}

/// Attention weights of a block, and the tanh that its scores went through (undefined without a soft cap).
struct Weights {
    at::Tensor weights, capped;
};

/// One segment in fp32. Queries are grouped under the key-value head that they share, query by query, so that a block
/// of queries is one slice: [key-value heads, length * group, size].
struct Segment {
    at::Tensor query, key, value; ///< key, value: [key-value heads, length, size]
    int64_t group;
    const AttentionRule& rule;
    int64_t before = 0; ///< keys before that of the first query

    Segment(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionRule& attentionRule)
        : query(grouped(q, k.size(1)))
        , key(transposed(k).to(at::kFloat))
        , value(transposed(v).to(at::kFloat))
        , group(q.size(1) / k.size(1))
        , rule(attentionRule)
    {
    }

    /// The last tokens of a sequence, whose keys and values are in the cache with those before.
    Segment(const at::Tensor& q, const KeyValueCache& cache, const AttentionRule& attentionRule)
        : query(grouped(q, cache.keys.size(0)))
        , key(narrowed(cache.keys, 1, 0, cache.tokens))
        , value(narrowed(cache.values, 1, 0, cache.tokens))
        , group(q.size(1) / cache.keys.size(0))
        , rule(attentionRule)
        , before(cache.tokens - q.size(0))
    {
    }

    /// [length, heads, size] -> [key-value heads, length * group, size]
    static at::Tensor grouped(const at::Tensor& x, int64_t keyValueHeads)
    {
        return transposed(x.view({ x.size(0), keyValueHeads, -1, x.size(2) }))
            .to(at::kFloat, false, false, at::MemoryFormat::Contiguous)
            .reshape({ keyValueHeads, -1, x.size(2) });
    }

    /// Writes [key-value heads, count * group, size] into target [count, heads, size].
    void ungroupInto(const at::Tensor& target, const at::Tensor& x) const
    {
        const int64_t keyValueHeads = x.size(0);
        target.view({ target.size(0), keyValueHeads, group, x.size(2) })
            .copy_(transposed(x.view({ keyValueHeads, -1, group, x.size(2) })));
    }

    at::Tensor queryRows(const at::Tensor& x, const Block& block) const
    {
        return narrowed(x, 1, (block.first - before) * group, block.count * group);
    }

    static at::Tensor keyRows(const at::Tensor& x, const Block& block)
    {
        return narrowed(x, 1, block.firstKey, block.keys);
    }

    void hideUnseen(const at::Tensor& scores, const Block& block, const Masks& masks) const
    {
        constexpr double hidden = -std::numeric_limits<double>::infinity();
        const auto rows = [&](const at::Tensor& mask) { return narrowed(mask, 0, 0, block.count * group); };
        narrowed(scores, 2, block.first - block.firstKey, block.count)
            .masked_fill_(narrowed(rows(masks.future), 1, 0, block.count), hidden);
        if (!masks.past.defined())
            return;
        // The last key that the first query does not see is firstKey - 1 - shift.
        const int64_t shift = block.firstKey - (block.first - rule.window + 1);
        if (shift < block.count)
            narrowed(scores, 2, 0, block.count - shift)
                .masked_fill_(narrowed(rows(masks.past), 1, shift, block.count - shift), hidden);
    }

    Weights weights(const Block& block, const Masks& masks, bool keepCapped) const
    {
        auto scores = scaledProduct(queryRows(query, block), transposed(keyRows(key, block), 1, 2),
            rule.softcap > 0 ? rule.scale / rule.softcap : rule.scale);
        at::Tensor capped;
        if (rule.softcap > 0) {
            scores.tanh_();
            if (keepCapped)
                capped = std::exchange(scores, at::mul(scores, rule.softcap));
            else
                scores.mul_(rule.softcap);
        }
        hideUnseen(scores, block, masks);
        return { at::_softmax(scores, -1, false), std::move(capped) };
    }

    /// Writes what the queries make of the values into output [queries, heads, size].
    void attendInto(const at::Tensor& output, const Masks& masks) const
    {
        const int64_t length = key.size(1);
        for (int64_t first = before; first < length; first += queryBlock) {
            const Block block(first, length, rule.window);
            const auto blockWeights = weights(block, masks, false).weights;
            ungroupInto(narrowed(output, 0, first - before, block.count), at::bmm(blockWeights, keyRows(value, block)));
        }
    }
};

/// Calls body(segment's first token, its length) for each segment, and within it nothing is kept for the next one.
template <class Body> void forEachSegment(SegmentStarts segments, Body body)
{
    for (size_t s = 0; s + 1 < segments.size(); ++s)
        body(segments[s], segments[s + 1] - segments[s]);
}

} // namespace

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, SegmentStarts segments,
    const AttentionRule& rule)
{
    auto output = at::empty(query.sizes(), query.options());
    const Masks masks(query, segments, query.size(1) / key.size(1), rule);
    forEachSegment(segments, [&](int64_t start, int64_t length) {
        const Segment segment(narrowed(query, 0, start, length), narrowed(key, 0, start, length),
            narrowed(value, 0, start, length), rule);
        segment.attendInto(narrowed(output, 0, start, length), masks);
    });
    return output;
}

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, KeyValueCache& cache,
    const AttentionRule& rule)
{
    const int64_t tokens = query.size(0);
    narrowed(cache.keys, 1, cache.tokens, tokens).copy_(transposed(key));
    narrowed(cache.values, 1, cache.tokens, tokens).copy_(transposed(value));
    cache.tokens += tokens;
    auto output = at::empty(query.sizes(), query.options());
    const Masks masks(query, tokens, cache.tokens, query.size(1) / key.size(1), rule);
    Segment(query, cache, rule).attendInto(output, masks);
    return output;
}

AttentionGradients attentionBackward(const at::Tensor& outputGradient, const at::Tensor& query, const at::Tensor& key,
    const at::Tensor& value, SegmentStarts segments, const AttentionRule& rule)
{
    const auto made = [](const at::Tensor& like) { return at::empty(like.sizes(), like.options()); };
    AttentionGradients gradients { made(query), made(key), made(value) };
    const Masks masks(query, segments, query.size(1) / key.size(1), rule);
    forEachSegment(segments, [&](int64_t start, int64_t length) {
        const Segment segment(narrowed(query, 0, start, length), narrowed(key, 0, start, length),
            narrowed(value, 0, start, length), rule);
        const auto output = Segment::grouped(narrowed(outputGradient, 0, start, length), key.size(1));
        auto keyGradient = at::zeros_like(segment.key, at::MemoryFormat::Contiguous);
        auto valueGradient = at::zeros_like(segment.value, at::MemoryFormat::Contiguous);
        for (int64_t first = 0; first < length; first += queryBlock) {
            const Block block(first, length, rule.window);
            const auto [weights, capped] = segment.weights(block, masks, true);
            const auto rows = segment.queryRows(output, block);
            Segment::keyRows(valueGradient, block).baddbmm_(transposed(weights, 1, 2), rows);
            const auto scores = at::_softmax_backward_data(
                at::bmm(rows, transposed(Segment::keyRows(segment.value, block), 1, 2)), weights, -1, at::kFloat);
            if (capped.defined()) // the slope of softcap * tanh(s / softcap) is 1 - tanh^2
                scores.addcmul_(scores, capped.square_(), -1);
            Segment::keyRows(keyGradient, block)
                .baddbmm_(transposed(scores, 1, 2), segment.queryRows(segment.query, block), 1, rule.scale);
            segment.ungroupInto(narrowed(gradients.query, 0, start + first, block.count),
                scaledProduct(scores, Segment::keyRows(segment.key, block), rule.scale));
        }
        narrowed(gradients.key, 0, start, length).copy_(transposed(keyGradient));
        narrowed(gradients.value, 0, start, length).copy_(transposed(valueGradient));
    });
    return gradients;
}

} // namespace tunebench
