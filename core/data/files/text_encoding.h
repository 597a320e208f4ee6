#pragma once

#include "core/data/files/unpack.h"

namespace tunebench {

enum class Encoding {
    utf8, ///< or what is damaged beyond telling; its rows say where
    utf16LittleEndian,
    utf16BigEndian,
    cp949, ///< Korean Windows, which holds EUC-KR
    utf32, ///< not read
};

/// How a text is encoded: by its byte order mark; UTF-16 without one by its zero bytes; CP949 where bytes are not UTF-8
/// and nearly all of the text around them is common Hangul in CP949. Only the first
/// `lookAt` bytes are looked at (to the next 16 MB), and none any more after a stop.
Encoding encodingOf(const MappedFile& content, size_t lookAt, const std::stop_token& stop);

/// The text in UTF-8. An error with the place of the first bytes that are none of that encoding.
Result<ConvertedContent> convertToUtf8(
    std::string_view text, Encoding encoding, const std::string& path, size_t maxBytes, const std::stop_token& stop);

/// As a person knows it: "UTF-16".
std::string_view nameOf(Encoding encoding);

} // namespace tunebench
