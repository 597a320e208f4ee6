#include "core/text/jinja/text.h"

#include "core/text/jinja/value.h"

#include <algorithm>
#include <cstring>
#include <utf8proc.h>

namespace tunebench::jinja {

size_t sequenceSize(std::string_view text, size_t at)
{
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return std::min(size, text.size() - at);
}

char32_t codeAt(std::string_view text, size_t at)
{
    const size_t size = sequenceSize(text, at);
    const auto lead = static_cast<unsigned char>(text[at]);
    if (size == 1)
        return lead;
    char32_t code = lead & (0xFFU >> (size + 1));
    for (size_t i = 1; i < size; ++i)
        code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    return code;
}

void appendCode(std::string& out, char32_t code)
{
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
    out.append(bytes, bytes + size);
}

size_t characterCount(std::string_view text)
{
    return static_cast<size_t>(std::count_if(
        text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

size_t byteOffset(std::string_view text, size_t character)
{
    size_t at = 0;
    for (; character > 0 && at < text.size(); --character)
        at += sequenceSize(text, at);
    return at;
}

bool isSpace(char32_t code)
{
    return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0
        || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F
        || code == 0x205F || code == 0x3000;
}

namespace {

utf8proc_category_t categoryOf(char32_t code)
{
    return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool isLineBreak(char32_t code)
{
    return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 || code == 0x2028
        || code == 0x2029;
}

} // namespace

bool isPrintable(char32_t code)
{
    switch (categoryOf(code)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return false;
    case UTF8PROC_CATEGORY_ZS:
        return code == ' ';
    default:
        return true;
    }
}

bool isLetter(char32_t code)
{
    const auto category = categoryOf(code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isNameStart(char32_t code)
{
    return code == '_' || isLetter(code) || categoryOf(code) == UTF8PROC_CATEGORY_NL;
}

bool isNamePart(char32_t code)
{
    const auto category = categoryOf(code);
    return isNameStart(code) || category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC
        || category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_PC;
}

std::string_view strip(std::string_view text, Side side, std::optional<std::string_view> characters)
{
    const auto drops = [&](size_t at, size_t size) {
        return characters ? characters->find(text.substr(at, size)) != std::string_view::npos
                          : isSpace(codeAt(text, at));
    };
    if (side != Side::right) {
        while (!text.empty() && drops(0, sequenceSize(text, 0)))
            text.remove_prefix(sequenceSize(text, 0));
    }
    while (side != Side::left && !text.empty()) {
        size_t last = text.size() - 1;
        while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0U) == 0x80U)
            --last;
        if (!drops(last, text.size() - last))
            break;
        text = text.substr(0, last);
    }
    return text;
}

std::vector<std::string_view> splitSpace(std::string_view text, int64_t limit)
{
    std::vector<std::string_view> parts;
    for (text = strip(text, Side::left); !text.empty(); text = strip(text, Side::left)) {
        if (limit >= 0 && static_cast<int64_t>(parts.size()) == limit) {
            parts.push_back(strip(text, Side::right));
            break;
        }
        size_t end = 0;
        while (end < text.size() && !isSpace(codeAt(text, end)))
            end += sequenceSize(text, end);
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return parts;
}

std::vector<std::string_view> splitSpaceFromRight(std::string_view text, int64_t limit)
{
    auto words = splitSpace(text, -1);
    if (limit < 0 || static_cast<int64_t>(words.size()) <= limit)
        return words;
    const size_t kept = words.size() - static_cast<size_t>(limit);
    const auto end = static_cast<size_t>(words[kept - 1].data() + words[kept - 1].size() - text.data());
    std::vector<std::string_view> parts { text.substr(0, end) };
    parts.insert(parts.end(), words.begin() + static_cast<std::ptrdiff_t>(kept), words.end());
    return parts;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator, int64_t limit)
{
    std::vector<std::string_view> parts;
    while (limit < 0 || static_cast<int64_t>(parts.size()) < limit) {
        const size_t at = findText(text, separator);
        if (at == std::string_view::npos)
            break;
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at + separator.size());
    }
    parts.push_back(text);
    return parts;
}

std::vector<std::string_view> splitFromRight(std::string_view text, std::string_view separator, int64_t limit)
{
    std::vector<std::string_view> parts;
    while (limit < 0 || static_cast<int64_t>(parts.size()) < limit) {
        const size_t at = findTextFromRight(text, separator);
        if (at == std::string_view::npos)
            break;
        parts.push_back(text.substr(at + separator.size()));
        text = text.substr(0, at);
    }
    parts.push_back(text);
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<std::string_view> splitLines(std::string_view text, bool keepEnds)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        size_t end = 0;
        while (end < text.size() && !isLineBreak(codeAt(text, end)))
            end += sequenceSize(text, end);
        size_t next = end;
        if (end < text.size())
            next += text.substr(end, 2) == "\r\n" ? 2 : sequenceSize(text, end);
        lines.push_back(text.substr(0, keepEnds ? next : end));
        text.remove_prefix(next);
    }
    return lines;
}

size_t findText(std::string_view text, std::string_view wanted, size_t from)
{
    if (from > text.size())
        return std::string_view::npos;
    // memmem is linear where string_view::find is not.
    const void* found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
    return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

size_t findTextFromRight(std::string_view text, std::string_view wanted)
{
    const std::string reversed(text.rbegin(), text.rend());
    const size_t at = findText(reversed, std::string(wanted.rbegin(), wanted.rend()));
    return at == std::string_view::npos ? at : text.size() - at - wanted.size();
}

std::string replace(std::string_view text, std::string_view from, std::string_view to, int64_t limit)
{
    std::string out;
    const auto room = [&](int64_t done) { return limit < 0 || done < limit; };
    int64_t done = 0;
    if (from.empty()) {
        size_t at = 0;
        for (; room(done); ++done) {
            out += to;
            checkTextSize(out.size());
            if (at == text.size())
                return out;
            const size_t size = sequenceSize(text, at);
            out += text.substr(at, size);
            at += size;
        }
        return out.append(text.substr(at));
    }
    for (size_t at = 0; room(done) && (at = findText(text, from)) != std::string_view::npos; ++done) {
        out.append(text.substr(0, at)).append(to);
        checkTextSize(out.size());
        text.remove_prefix(at + from.size());
    }
    return out.append(text);
}

size_t countOf(std::string_view text, std::string_view wanted)
{
    if (wanted.empty())
        return characterCount(text) + 1;
    size_t count = 0;
    for (size_t at = findText(text, wanted); at != std::string_view::npos;
         at = findText(text, wanted, at + wanted.size()))
        ++count;
    return count;
}

std::string escapeHtml(std::string_view text)
{
    std::string out;
    for (const char byte : text) {
        switch (byte) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&#34;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += byte;
        }
    }
    return out;
}

} // namespace tunebench::jinja
