#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tunebench {

/// What some editors put at the start of a file; it is no part of the text.
inline constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

/// The first byte that is not part of well-formed UTF-8, or npos.
size_t firstInvalidUtf8(std::string_view text);

/// At most `bytes` bytes of a text in UTF-8, never cutting a character.
std::string_view cutToCharacter(std::string_view text, size_t bytes);

/// With the letters A to Z small; all others as they are.
std::string lowered(std::string_view text);

/// The kind of a JSON value with its article: "an array", "a number", "null".
std::string kindOf(const nlohmann::ordered_json& value);
std::string kindOf(const nlohmann::json& value);

/// True when a text in UTF-8 holds a Korean vowel or final as a conjoining letter (U+1160 to U+11FF), as texts in NFD
/// do: another text to a model than the same syllables composed, and several times as many tokens.
bool hasConjoiningJamo(std::string_view text);

/// Nothing, or white space alone.
bool isBlank(std::string_view text);

} // namespace tunebench
