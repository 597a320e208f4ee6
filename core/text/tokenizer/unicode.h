#pragma once

#include "core/text/tokenizer/aligned_text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tunebench {

/// Unicode's White_Space property.
bool isWhiteSpace(char32_t codePoint);

/// What `\w` of Rust's regex library matches (UTS 18, annex C): letters, marks, decimal numbers, connectors, joiners.
bool isWordCharacter(char32_t codePoint);

enum class NormalizationForm { nfc, nfd, nfkc, nfkd };

/// Brings the text into the form. What is composed, decomposed or reordered stands for the whole run of a starter and
/// its marks that it came from.
void normalizeUnicode(AlignedText& text, NormalizationForm form);

/// PCRE2 classifies characters by an older Unicode version than the `tokenizers` library. A text in which each
/// character that the two see differently is exchanged for one of the same length that stands for its newer class.
/// Returns `text` itself, or a view of `buffer`.
std::string_view withRegexStandIns(std::string_view text, std::string& buffer);

} // namespace tunebench
