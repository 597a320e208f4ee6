#pragma once

#include "core/text/tokenizer/tokenizer.h"

#include <string>
#include <vector>

namespace tunebench {

/// Decodes tokens one after another. A character whose bytes are spread over several tokens appears with the last of
/// them, never in part; all pieces together are what Tokenizer::decode gives.
class StreamDecoder {
public:
    /// The tokenizer must outlive the decoder.
    explicit StreamDecoder(const Tokenizer& tokenizer)
        : m_tokenizer(tokenizer)
    {
    }

    /// What the token adds to the text; empty where its last character is not whole yet.
    std::string push(TokenId id);

    /// The rest after the last token: characters that never became whole, as U+FFFD.
    std::string finish();

private:
    std::string pendingText() const;

    const Tokenizer& m_tokenizer;
    std::vector<TokenId> m_window; ///< tokens whose text is needed to tell what the next ones add
    size_t m_shown = 0; ///< how many of them were shown
    std::string m_shownText; ///< the text of those
};

} // namespace tunebench
