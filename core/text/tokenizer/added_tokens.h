#pragma once

#include "core/text/tokenizer/normalizer.h"
#include "core/text/tokenizer/text_trie.h"
#include "core/text/tokenizer/vocabulary.h"

#include <map>

namespace tunebench {

/// A token that is recognised in the text before the model sees it.
struct AddedToken {
    std::string content;
    bool singleWord = false; ///< not inside a word
    bool leftStrip = false; ///< takes the white space on its left with it
    bool rightStrip = false;
    bool normalized = true; ///< looked for in the normalised text, in its own normalised form
};

/// A piece of a text: an added token, or text between them.
struct TextSegment {
    ByteSpan span;
    std::optional<TokenId> token;
};

/// The `added_tokens` of tokenizer.json. Tokens that the vocabulary does not have get ids behind it, as the
/// `tokenizers` library counts them.
class AddedTokens {
public:
    Result<void> add(const AddedToken& token, const Vocabulary& vocabulary, const Normalizer& normalizer);
    /// A token of the vocabulary that is found in the normalised text as it is spelled.
    void addWhole(const std::string& content, TokenId id);

    /// Cuts a text at the tokens that are not normalised, or (after normalising) at those that are.
    std::vector<TextSegment> split(std::string_view text, bool normalized) const;

    std::optional<TokenId> idOf(std::string_view content) const;
    const std::string* tokenOf(TokenId id) const;
    /// What decoding writes for the token: its normalised form where it is looked for in that, else itself.
    const std::string* spellingOf(TokenId id) const;
    /// One more than the highest id.
    size_t size() const { return m_tokens.empty() ? 0 : static_cast<size_t>(m_tokens.rbegin()->first) + 1; }

private:
    TokenId nextId(const Vocabulary& vocabulary) const;

    struct Entry {
        AddedToken token;
        std::string spelling;
    };
    std::map<TokenId, Entry> m_tokens;
    std::map<std::string, TokenId, std::less<>> m_ids;
    TextTrie m_raw, m_normalized;
};

} // namespace tunebench
