#include "core/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tunebench {

namespace {

constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD";

unsigned byteAt(std::string_view text, size_t position)
{
    return static_cast<unsigned char>(text[position]);
}

/// The bytes that may follow `lead` (table 3-7 of the Unicode Standard): no surrogates, no overlong forms.
struct SecondByte {
    unsigned low, high;
};

SecondByte secondByteAfter(unsigned lead)
{
    switch (lead) {
    case 0xE0:
        return { 0xA0, 0xBF };
    case 0xED:
        return { 0x80, 0x9F };
    case 0xF0:
        return { 0x90, 0xBF };
    case 0xF4:
        return { 0x80, 0x8F };
    default:
        return { 0x80, 0xBF };
    }
}

/// The first byte from `position` on that is not ASCII.
size_t skipAscii(std::string_view text, size_t position)
{
    constexpr uint64_t highBits = 0x8080808080808080ULL;
    while (position + sizeof(uint64_t) <= text.size()) {
        uint64_t block = 0;
        std::memcpy(&block, text.data() + position, sizeof block);
        if ((block & highBits) != 0) {
            break;
        }
        position += sizeof block;
    }
    while (position < text.size() && byteAt(text, position) < 0x80) {
        ++position;
    }
    return position;
}

} // namespace

char32_t codePointAt(std::string_view text, size_t position)
{
    const unsigned lead = byteAt(text, position);
    const auto tail = [&](size_t index) { return byteAt(text, position + index) & 0x3FU; };
    switch (utf8Length(text[position])) {
    case 2:
        return (lead & 0x1FU) << 6U | tail(1);
    case 3:
        return (lead & 0x0FU) << 12U | tail(1) << 6U | tail(2);
    case 4:
        return (lead & 0x07U) << 18U | tail(1) << 12U | tail(2) << 6U | tail(3);
    default:
        return lead;
    }
}

size_t previousCharacter(std::string_view text, size_t position)
{
    do {
        --position;
    } while (position > 0 && isUtf8Continuation(text[position]));
    return position;
}

void appendUtf8(std::string& text, char32_t codePoint)
{
    const auto append = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (codePoint < 0x80) {
        append(codePoint);
    } else if (codePoint < 0x800) {
        append(0xC0 | codePoint >> 6U);
        append(0x80 | (codePoint & 0x3FU));
    } else if (codePoint < 0x10000) {
        append(0xE0 | codePoint >> 12U);
        append(0x80 | (codePoint >> 6U & 0x3FU));
        append(0x80 | (codePoint & 0x3FU));
    } else {
        append(0xF0 | codePoint >> 18U);
        append(0x80 | (codePoint >> 12U & 0x3FU));
        append(0x80 | (codePoint >> 6U & 0x3FU));
        append(0x80 | (codePoint & 0x3FU));
    }
}

Utf8Part utf8PartAt(std::string_view text, size_t position)
{
    const unsigned lead = byteAt(text, position);
    if (lead < 0x80) {
        return { 1, true };
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return { 1, false };
    }
    const size_t length = utf8Length(text[position]);
    SecondByte allowed = secondByteAfter(lead);
    for (size_t index = 1; index < length; ++index) {
        if (position + index >= text.size() || byteAt(text, position + index) < allowed.low
            || byteAt(text, position + index) > allowed.high) {
            return { index, false };
        }
        allowed = { 0x80, 0xBF };
    }
    return { length, true };
}

bool isValidUtf8(std::string_view text)
{
    for (size_t position = skipAscii(text, 0); position < text.size(); position = skipAscii(text, position)) {
        const Utf8Part part = utf8PartAt(text, position);
        if (!part.valid) {
            return false;
        }
        position += part.length;
    }
    return true;
}

std::string replaceInvalidUtf8(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (size_t position = 0; position < text.size();) {
        const Utf8Part part = utf8PartAt(text, position);
        result += part.valid ? text.substr(position, part.length) : replacementCharacter;
        position += part.length;
    }
    return result;
}

} // namespace tunebench
