#pragma once

#include "core/model/decoder.h"
#include "core/ops/attention.h"
#include "core/text/tokenizer/tokenizer.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tunebench {

/// A sequence of tokens that a decoder goes on with: keys and values of what it has read are kept, so that a further
/// token costs a pass of its own alone. Runs the layers that training runs, forward only; nothing of the decoder
/// changes.
class Generation {
public:
    /// The sequence may have up to `room` tokens, for which memory is taken at once. The decoder must outlive it.
    Generation(const Decoder& decoder, int64_t room);

    /// Reads at least one token after those read before; returns the logits of the next one, [vocabulary], fp32. As in
    /// transformers, a rope that has other frequencies for long sequences reads everything again with them as soon as
    /// the sequence is longer than the model's original context.
    at::Tensor read(std::span<const TokenId> ids);

    /// Tokens that were read.
    int64_t tokens() const { return static_cast<int64_t>(m_ids.size()); }

    /// For a dry run, where what was read has no numbers: as if so many tokens had been read.
    void pretendRead(int64_t tokens);

private:
    const Decoder& m_decoder;
    std::vector<KeyValueCache> m_caches; ///< of each layer
    std::vector<int64_t> m_ids;
};

/// What a model says to a prompt.
struct GeneratedAnswer {
    std::vector<TokenId> ids; ///< without the token that ended it
    bool ended = false; ///< by the model itself; false: it was cut at `most` tokens
};

/// Goes on after `prompt` with the likeliest token each time, until one of `ends` or `most` tokens. `goOn` is asked
/// before each; nothing when it said no.
std::optional<GeneratedAnswer> answerGreedily(const Decoder& decoder, std::span<const TokenId> prompt,
    std::span<const TokenId> ends, int64_t most, const std::function<bool()>& goOn);

/// The moments of answerGreedily() that need the most memory, for a prompt of so many tokens on the meta device.
void dryAnswer(const Decoder& decoder, int64_t promptTokens, int64_t most);

} // namespace tunebench
