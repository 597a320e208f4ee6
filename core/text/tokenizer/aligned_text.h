#pragma once

#include "core/text/tokenizer/tokenizer.h"

#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// A text on its way through the tokenizer that still knows which bytes of the input each of its bytes stands for.
class AlignedText {
public:
    /// `input` lies at byte `offset` of the whole input. Without `tracked`, origin() must not be asked for.
    AlignedText(std::string_view input, size_t offset, bool tracked);

    const std::string& text() const { return m_text; }
    bool tracked() const { return m_tracked; }

    /// True when the text starts where the whole input starts.
    bool startsInput() const { return m_startsInput; }

    /// The bytes of the input that [begin, end) stands for, whole characters always.
    ByteSpan origin(size_t begin, size_t end) const;

    AlignedText slice(size_t begin, size_t end) const;

private:
    friend class TextRewriter;

    std::string m_text;
    std::vector<ByteSpan> m_origins; ///< one a byte of m_text; empty: byte i stands for byte m_offset + i
    size_t m_offset;
    bool m_tracked;
    bool m_startsInput;
};

/// Writes a text anew, from left to right, as parts kept and parts replaced.
class TextRewriter {
public:
    explicit TextRewriter(AlignedText& text);

    /// Takes over the old text's bytes up to `end`.
    void keepUntil(size_t end);
    /// Writes `replacement` for the old text's bytes from here up to `end`.
    void replaceUntil(size_t end, std::string_view replacement);
    /// Where the next byte will be written.
    size_t size() const { return m_result.size(); }
    /// Keeps what is left and puts the new text in the place of the old one.
    void finish();

private:
    AlignedText& m_text;
    std::string m_result;
    std::vector<ByteSpan> m_origins;
    size_t m_position = 0;
};

} // namespace tunebench
