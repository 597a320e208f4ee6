#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <span>

namespace tunebench {

/// Rows of a micro-batch: segment s is the tokens [starts[s], starts[s + 1]).
using SegmentStarts = std::span<const int64_t>;

/// How scores are made and which keys a query sees.
struct AttentionRule {
    double scale = 1; ///< scores are multiplied by it
    double softcap = 0; ///< then s becomes softcap * tanh(s / softcap); 0: it stays
    int64_t window = 0; ///< a query sees so many keys back, its own included; 0: all of its segment
};

/// Causal attention inside each segment. query [tokens, heads, size]; key, value [tokens, key-value heads, size], with
/// heads a multiple of key-value heads (grouped queries). Scores and weights are fp32 whatever the inputs are (fp16
/// scores overflow in some models), and exist for one block of queries and the keys that it sees at a time. Returns
/// [tokens, heads, size] in query's type.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, SegmentStarts segments,
    const AttentionRule& rule);

/// Keys and values of the tokens of one sequence, as attention takes them: fp32, so that each is cast once.
struct KeyValueCache {
    at::Tensor keys, values; ///< [key-value heads, room, size]
    int64_t tokens = 0; ///< that it holds
};

/// The same for tokens that follow those of the cache in their sequence, and join them there.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, KeyValueCache& cache,
    const AttentionRule& rule);

struct AttentionGradients {
    at::Tensor query, key, value; ///< shapes and types of the inputs
};

/// Gradients given the gradient of the output; the weights are computed again, so nothing but the inputs is kept.
AttentionGradients attentionBackward(const at::Tensor& outputGradient, const at::Tensor& query, const at::Tensor& key,
    const at::Tensor& value, SegmentStarts segments, const AttentionRule& rule);

} // namespace tunebench
