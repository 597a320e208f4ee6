#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Python's str in UTF-8: what counts characters counts code points. Unicode 14, as Python 3.11.
namespace tunebench::jinja {

/// Bytes of the code point that starts at `at` (1 for a byte that starts none).
size_t sequenceSize(std::string_view text, size_t at);
char32_t codeAt(std::string_view text, size_t at);
void appendCode(std::string& out, char32_t code);

size_t characterCount(std::string_view text);
/// Byte offset of the character with this index; the size of the text when there are fewer.
size_t byteOffset(std::string_view text, size_t character);

bool isSpace(char32_t code); ///< str.isspace
bool isPrintable(char32_t code); ///< str.isprintable
bool isLetter(char32_t code); ///< str.isalpha
bool isUpper(char32_t code);
bool isLower(char32_t code);
bool isNameStart(char32_t code);
bool isNamePart(char32_t code);

std::string toUpper(std::string_view text);
std::string toLower(std::string_view text);
std::string toTitle(std::string_view text); ///< str.title
std::string capitalize(std::string_view text); ///< str.capitalize

enum class Side { left, right, both };
/// str.strip: white space, or any of the characters given.
std::string_view strip(std::string_view text, Side side, std::optional<std::string_view> characters = {});

/// str.split() on runs of white space; `limit` < 0 is none.
std::vector<std::string_view> splitSpace(std::string_view text, int64_t limit);
std::vector<std::string_view> splitSpaceFromRight(std::string_view text, int64_t limit);
/// str.split(separator); the separator is not empty.
std::vector<std::string_view> split(std::string_view text, std::string_view separator, int64_t limit);
std::vector<std::string_view> splitFromRight(std::string_view text, std::string_view separator, int64_t limit);
std::vector<std::string_view> splitLines(std::string_view text, bool keepEnds);

/// string_view::find and rfind, whose time never grows with the product of the two sizes.
size_t findText(std::string_view text, std::string_view wanted, size_t from = 0);
size_t findTextFromRight(std::string_view text, std::string_view wanted);

/// str.replace; `limit` < 0 is none. Throws when the result is too large.
std::string replace(std::string_view text, std::string_view from, std::string_view to, int64_t limit);
/// str.count
size_t countOf(std::string_view text, std::string_view wanted);
/// markupsafe.escape
std::string escapeHtml(std::string_view text);

} // namespace tunebench::jinja
