#include "core/data/files/text_checks.h"

#include "core/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tunebench {
namespace {

std::string withArticle(std::string_view kind)
{
    if (kind == "null")
        return "null";
    const bool vowel = kind == "array" || kind == "object";
    return (vowel ? "an " : "a ") + std::string(kind);
}

/// Whether a character of three bytes stands at a place; false also for some that do.
bool isPlainThreeBytes(std::string_view text, size_t at)
{
    if (text.size() - at < 3)
        return false;
    const auto lead = static_cast<unsigned char>(text[at]);
    return lead > 0xe0 && lead < 0xf0 && (lead != 0xed || static_cast<unsigned char>(text[at + 1]) < 0xa0)
        && isUtf8Continuation(text[at + 1]) && isUtf8Continuation(text[at + 2]);
}

} // namespace

size_t firstInvalidUtf8(std::string_view text)
{
    size_t at = 0;
    while (at < text.size()) {
        while (isPlainThreeBytes(text, at)) // most of what is written in Asia
            at += 3;
        if (at == text.size())
            break;
        uint64_t eight = 0;
        if (text.size() - at >= sizeof eight) {
            std::memcpy(&eight, text.data() + at, sizeof eight);
            if ((eight & 0x8080808080808080) == 0) { // plain ASCII, most of most files
                at += sizeof eight;
                continue;
            }
        }
        const Utf8Part part = utf8PartAt(text, at);
        if (!part.valid)
            return at;
        at += part.length;
    }
    return std::string_view::npos;
}

std::string_view cutToCharacter(std::string_view text, size_t bytes)
{
    if (text.size() <= bytes)
        return text;
    while (bytes > 0 && isUtf8Continuation(text[bytes]))
        --bytes;
    return text.substr(0, bytes);
}

bool hasConjoiningJamo(std::string_view text)
{
    for (size_t at = text.find('\xe1'); at != std::string_view::npos && at + 1 < text.size();
         at = text.find('\xe1', at + 1)) {
        const auto second = static_cast<unsigned char>(text[at + 1]);
        const auto third = at + 2 < text.size() ? static_cast<unsigned char>(text[at + 2]) : 0;
        if (second == 0x86 || second == 0x87 || (second == 0x85 && third >= 0xa0))
            return true;
    }
    return false;
}

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

std::string lowered(std::string_view text)
{
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return small;
}

std::string kindOf(const nlohmann::ordered_json& value)
{
    return withArticle(value.type_name());
}

std::string kindOf(const nlohmann::json& value)
{
    return withArticle(value.type_name());
}

} // namespace tunebench
