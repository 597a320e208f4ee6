#pragma once

#include "core/text/tokenizer/merge_table.h"
#include "core/text/tokenizer/vocabulary.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// A token and the bytes of the word that it stands for.
struct WordToken {
    TokenId id;
    size_t begin;
    size_t end;
};

struct BpeOptions {
    std::optional<std::string> unknownToken;
    std::string continuingPrefix; ///< put before every character of a word but the first
    std::string endSuffix; ///< put behind the last character of a word
    bool byteFallback = false; ///< characters that are not in the vocabulary become tokens <0x00> to <0xFF>
    bool fuseUnknown = false; ///< neighbouring unknown characters become one unknown token
    bool ignoreMerges = false; ///< a word that is in the vocabulary is one token, whatever the merges say
};

/// Byte-pair encoding as the `tokenizers` library does it: the lowest rank first, then the leftmost; O(n log n).
class Bpe {
public:
    /// All three tokens of a merge must be in the vocabulary.
    static Result<Bpe> create(Vocabulary vocabulary, const MergeTexts& merges, BpeOptions options);
    /// Pairs that have the same rank go from left to right, as SentencePiece merges by score.
    Bpe(Vocabulary vocabulary, MergeTable merges, BpeOptions options);
    Bpe(Bpe&&) noexcept;
    Bpe& operator=(Bpe&&) noexcept;
    ~Bpe();

    /// Appends the word's tokens. A character that is not in the vocabulary and has no fallback is left out.
    void encode(std::string_view word, std::vector<WordToken>& tokens) const;

    const Vocabulary& vocabulary() const { return m_vocabulary; }

private:
    class Cache;
    bool wordsEndAtMarks() const;
    void encodeWord(std::string_view word, size_t offset, std::vector<WordToken>& tokens) const;
    std::vector<WordToken> charactersOf(std::string_view word) const;
    bool appendBytes(std::string_view spelling, size_t begin, size_t end, std::vector<WordToken>& tokens) const;

    Vocabulary m_vocabulary;
    MergeTable m_merges;
    BpeOptions m_options;
    std::optional<TokenId> m_unknown;
    std::vector<std::optional<TokenId>> m_byteTokens; ///< <0x00> to <0xFF>, where byteFallback is on
    bool m_cutsAtMarks = false; ///< no merge joins a space mark to what stands before it, so that words end there
    std::unique_ptr<Cache> m_cache;
};

} // namespace tunebench
