#pragma once

#include "core/text/tokenizer/aligned_text.h"
#include "core/text/tokenizer/text_trie.h"

#include <cstdint>

namespace tunebench {

/// SentencePiece's precompiled character map: a double-array trie (Darts) from texts to places in a block of texts
/// that end with a zero byte.
class CharacterMap {
public:
    /// Empty bytes give a map that changes nothing. Errors do not name the file.
    static Result<CharacterMap> read(std::string_view bytes);

    bool empty() const { return m_units.empty(); }

    struct Match {
        size_t length = 0; ///< bytes of the text that are replaced; 0: none
        std::string_view replacement;
    };
    /// The longest text of the map that stands at the start of `text`.
    Match longestAtStart(std::string_view text) const;

private:
    std::vector<uint32_t> m_units;
    std::string m_texts;
};

/// How SentencePiece prepares a text (its normalizer.cc): characters mapped, spaces trimmed, a space put in front,
/// spaces written as U+2581.
struct SentencePieceNormalizer {
    CharacterMap map;
    TextTrie whole; ///< user-defined pieces, which the map leaves alone
    bool prefixSpace = true;
    bool prefixOnlyAtStart = false; ///< of the whole input, not of each part between special tokens
    bool dropsExtraSpaces = false;
    bool marksSpaces = true;

    void apply(AlignedText& text) const;
};

} // namespace tunebench
