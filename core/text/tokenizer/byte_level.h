#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tunebench {

/// The character that byte-level vocabularies (GPT-2's `bytes_to_unicode`) write for a byte: printable Latin-1 stands
/// for itself, the other 68 bytes are U+0100 onwards.
std::string_view byteLevelCharacter(unsigned char byte);

/// The byte that a character stands for, or nothing for characters that stand for none.
std::optional<unsigned char> byteOfCharacter(char32_t character);

} // namespace tunebench
