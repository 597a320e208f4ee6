#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tunebench {

/// The mark that SentencePiece writes for a space, U+2581.
inline constexpr std::string_view spaceMark = "\xE2\x96\x81";

/// Bytes of the character that starts with this byte; 1 for bytes that start none.
constexpr size_t utf8Length(char lead)
{
    const auto byte = static_cast<unsigned char>(lead);
    return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

/// True for the second and later bytes of a character.
constexpr bool isUtf8Continuation(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

/// The code point at `position`, which must be the start of a character of valid UTF-8.
char32_t codePointAt(std::string_view text, size_t position);

/// The start of the character before `position` (which is > 0 and a character's border).
size_t previousCharacter(std::string_view text, size_t position);

void appendUtf8(std::string& text, char32_t codePoint);

/// Bytes, from `position` on, of one well-formed character, or of the longest start of one that is ill-formed there
/// (at least 1): the "maximal subpart" of the Unicode Standard, chapter 3.9.
struct Utf8Part {
    size_t length;
    bool valid;
};
Utf8Part utf8PartAt(std::string_view text, size_t position);

bool isValidUtf8(std::string_view text);

/// The text with U+FFFD for each maximal ill-formed part, as Python's `errors="replace"` and Rust's
/// `from_utf8_lossy` have it.
std::string replaceInvalidUtf8(std::string_view text);

} // namespace tunebench
