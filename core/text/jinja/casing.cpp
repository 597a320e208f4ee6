#include "core/text/jinja/text.h"

#include <algorithm>
#include <utf8proc.h>

/// Python's upper(), lower(), title() and capitalize(), with the mappings of Unicode 14 that change the length.
namespace tunebench::jinja {

namespace {

struct LongMapping {
    char32_t code;
    const char* upper;
    const char* title;
};

/// SpecialCasing.txt: the letters whose capital is several code points.
constexpr LongMapping longMappings[] = {
    { 0x00DF, "SS", "Ss" },
    { 0x0149, "\u02BCN", "\u02BCN" },
    { 0x01F0, "J\u030C", "J\u030C" },
    { 0x0390, "\u0399\u0308\u0301", "\u0399\u0308\u0301" },
    { 0x03B0, "\u03A5\u0308\u0301", "\u03A5\u0308\u0301" },
    { 0x0587, "\u0535\u0552", "\u0535\u0582" },
    { 0x1E96, "H\u0331", "H\u0331" },
    { 0x1E97, "T\u0308", "T\u0308" },
    { 0x1E98, "W\u030A", "W\u030A" },
    { 0x1E99, "Y\u030A", "Y\u030A" },
    { 0x1E9A, "A\u02BE", "A\u02BE" },
    { 0x1F50, "\u03A5\u0313", "\u03A5\u0313" },
    { 0x1F52, "\u03A5\u0313\u0300", "\u03A5\u0313\u0300" },
    { 0x1F54, "\u03A5\u0313\u0301", "\u03A5\u0313\u0301" },
    { 0x1F56, "\u03A5\u0313\u0342", "\u03A5\u0313\u0342" },
    { 0x1F80, "\u1F08\u0399", "\u1F88" },
    { 0x1F81, "\u1F09\u0399", "\u1F89" },
    { 0x1F82, "\u1F0A\u0399", "\u1F8A" },
    { 0x1F83, "\u1F0B\u0399", "\u1F8B" },
    { 0x1F84, "\u1F0C\u0399", "\u1F8C" },
    { 0x1F85, "\u1F0D\u0399", "\u1F8D" },
    { 0x1F86, "\u1F0E\u0399", "\u1F8E" },
    { 0x1F87, "\u1F0F\u0399", "\u1F8F" },
    { 0x1F88, "\u1F08\u0399", "\u1F88" },
    { 0x1F89, "\u1F09\u0399", "\u1F89" },
    { 0x1F8A, "\u1F0A\u0399", "\u1F8A" },
    { 0x1F8B, "\u1F0B\u0399", "\u1F8B" },
    { 0x1F8C, "\u1F0C\u0399", "\u1F8C" },
    { 0x1F8D, "\u1F0D\u0399", "\u1F8D" },
    { 0x1F8E, "\u1F0E\u0399", "\u1F8E" },
    { 0x1F8F, "\u1F0F\u0399", "\u1F8F" },
    { 0x1F90, "\u1F28\u0399", "\u1F98" },
    { 0x1F91, "\u1F29\u0399", "\u1F99" },
    { 0x1F92, "\u1F2A\u0399", "\u1F9A" },
    { 0x1F93, "\u1F2B\u0399", "\u1F9B" },
    { 0x1F94, "\u1F2C\u0399", "\u1F9C" },
    { 0x1F95, "\u1F2D\u0399", "\u1F9D" },
    { 0x1F96, "\u1F2E\u0399", "\u1F9E" },
    { 0x1F97, "\u1F2F\u0399", "\u1F9F" },
    { 0x1F98, "\u1F28\u0399", "\u1F98" },
    { 0x1F99, "\u1F29\u0399", "\u1F99" },
    { 0x1F9A, "\u1F2A\u0399", "\u1F9A" },
    { 0x1F9B, "\u1F2B\u0399", "\u1F9B" },
    { 0x1F9C, "\u1F2C\u0399", "\u1F9C" },
    { 0x1F9D, "\u1F2D\u0399", "\u1F9D" },
    { 0x1F9E, "\u1F2E\u0399", "\u1F9E" },
    { 0x1F9F, "\u1F2F\u0399", "\u1F9F" },
    { 0x1FA0, "\u1F68\u0399", "\u1FA8" },
    { 0x1FA1, "\u1F69\u0399", "\u1FA9" },
    { 0x1FA2, "\u1F6A\u0399", "\u1FAA" },
    { 0x1FA3, "\u1F6B\u0399", "\u1FAB" },
    { 0x1FA4, "\u1F6C\u0399", "\u1FAC" },
    { 0x1FA5, "\u1F6D\u0399", "\u1FAD" },
    { 0x1FA6, "\u1F6E\u0399", "\u1FAE" },
    { 0x1FA7, "\u1F6F\u0399", "\u1FAF" },
    { 0x1FA8, "\u1F68\u0399", "\u1FA8" },
    { 0x1FA9, "\u1F69\u0399", "\u1FA9" },
    { 0x1FAA, "\u1F6A\u0399", "\u1FAA" },
    { 0x1FAB, "\u1F6B\u0399", "\u1FAB" },
    { 0x1FAC, "\u1F6C\u0399", "\u1FAC" },
    { 0x1FAD, "\u1F6D\u0399", "\u1FAD" },
    { 0x1FAE, "\u1F6E\u0399", "\u1FAE" },
    { 0x1FAF, "\u1F6F\u0399", "\u1FAF" },
    { 0x1FB2, "\u1FBA\u0399", "\u1FBA\u0345" },
    { 0x1FB3, "\u0391\u0399", "\u1FBC" },
    { 0x1FB4, "\u0386\u0399", "\u0386\u0345" },
    { 0x1FB6, "\u0391\u0342", "\u0391\u0342" },
    { 0x1FB7, "\u0391\u0342\u0399", "\u0391\u0342\u0345" },
    { 0x1FBC, "\u0391\u0399", "\u1FBC" },
    { 0x1FC2, "\u1FCA\u0399", "\u1FCA\u0345" },
    { 0x1FC3, "\u0397\u0399", "\u1FCC" },
    { 0x1FC4, "\u0389\u0399", "\u0389\u0345" },
    { 0x1FC6, "\u0397\u0342", "\u0397\u0342" },
    { 0x1FC7, "\u0397\u0342\u0399", "\u0397\u0342\u0345" },
    { 0x1FCC, "\u0397\u0399", "\u1FCC" },
    { 0x1FD2, "\u0399\u0308\u0300", "\u0399\u0308\u0300" },
    { 0x1FD3, "\u0399\u0308\u0301", "\u0399\u0308\u0301" },
    { 0x1FD6, "\u0399\u0342", "\u0399\u0342" },
    { 0x1FD7, "\u0399\u0308\u0342", "\u0399\u0308\u0342" },
    { 0x1FE2, "\u03A5\u0308\u0300", "\u03A5\u0308\u0300" },
    { 0x1FE3, "\u03A5\u0308\u0301", "\u03A5\u0308\u0301" },
    { 0x1FE4, "\u03A1\u0313", "\u03A1\u0313" },
    { 0x1FE6, "\u03A5\u0342", "\u03A5\u0342" },
    { 0x1FE7, "\u03A5\u0308\u0342", "\u03A5\u0308\u0342" },
    { 0x1FF2, "\u1FFA\u0399", "\u1FFA\u0345" },
    { 0x1FF3, "\u03A9\u0399", "\u1FFC" },
    { 0x1FF4, "\u038F\u0399", "\u038F\u0345" },
    { 0x1FF6, "\u03A9\u0342", "\u03A9\u0342" },
    { 0x1FF7, "\u03A9\u0342\u0399", "\u03A9\u0342\u0345" },
    { 0x1FFC, "\u03A9\u0399", "\u1FFC" },
    { 0xFB00, "FF", "Ff" },
    { 0xFB01, "FI", "Fi" },
    { 0xFB02, "FL", "Fl" },
    { 0xFB03, "FFI", "Ffi" },
    { 0xFB04, "FFL", "Ffl" },
    { 0xFB05, "ST", "St" },
    { 0xFB06, "ST", "St" },
    { 0xFB13, "\u0544\u0546", "\u0544\u0576" },
    { 0xFB14, "\u0544\u0535", "\u0544\u0565" },
    { 0xFB15, "\u0544\u053B", "\u0544\u056B" },
    { 0xFB16, "\u054E\u0546", "\u054E\u0576" },
    { 0xFB17, "\u0544\u053D", "\u0544\u056D" },
};

struct CodeRange {
    char32_t first;
    char32_t last;
};

/// Other_Lowercase and Other_Uppercase of DerivedCoreProperties.txt.
constexpr CodeRange otherLower[] = {
    { 0x00AA, 0x00AA },
    { 0x00BA, 0x00BA },
    { 0x02B0, 0x02B8 },
    { 0x02C0, 0x02C1 },
    { 0x02E0, 0x02E4 },
    { 0x0345, 0x0345 },
    { 0x037A, 0x037A },
    { 0x1D2C, 0x1D6A },
    { 0x1D78, 0x1D78 },
    { 0x1D9B, 0x1DBF },
    { 0x2071, 0x2071 },
    { 0x207F, 0x207F },
    { 0x2090, 0x209C },
    { 0x2170, 0x217F },
    { 0x24D0, 0x24E9 },
    { 0x2C7C, 0x2C7D },
    { 0xA69C, 0xA69D },
    { 0xA770, 0xA770 },
    { 0xA7F8, 0xA7F9 },
    { 0xAB5C, 0xAB5F },
    { 0x10780, 0x10780 },
    { 0x10783, 0x10785 },
    { 0x10787, 0x107B0 },
    { 0x107B2, 0x107BA },
};
constexpr CodeRange otherUpper[] = {
    { 0x2160, 0x216F },
    { 0x24B6, 0x24CF },
    { 0x1F130, 0x1F149 },
    { 0x1F150, 0x1F169 },
    { 0x1F170, 0x1F189 },
};

template <size_t N> bool isIn(const CodeRange (&ranges)[N], char32_t code)
{
    return std::any_of(std::begin(ranges), std::end(ranges),
        [&](CodeRange range) { return code >= range.first && code <= range.last; });
}

utf8proc_category_t categoryOf(char32_t code)
{
    return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool isCased(char32_t code)
{
    return isUpper(code) || isLower(code) || categoryOf(code) == UTF8PROC_CATEGORY_LT;
}

bool isCaseIgnorable(char32_t code)
{
    static constexpr char32_t punctuation[] = { 0x27, 0x2E, 0x3A, 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024,
        0x2027, 0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A };
    if (std::find(std::begin(punctuation), std::end(punctuation), code) != std::end(punctuation))
        return true;
    switch (categoryOf(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return true;
    default:
        return false;
    }
}

const LongMapping* longMappingOf(char32_t code)
{
    const auto* found = std::lower_bound(std::begin(longMappings), std::end(longMappings), code,
        [](const LongMapping& mapping, char32_t wanted) { return mapping.code < wanted; });
    return found != std::end(longMappings) && found->code == code ? found : nullptr;
}

void appendUpper(std::string& out, char32_t code)
{
    if (const auto* mapping = longMappingOf(code))
        out += mapping->upper;
    else
        appendCode(out, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code))));
}

void appendTitle(std::string& out, char32_t code)
{
    if (const auto* mapping = longMappingOf(code))
        out += mapping->title;
    else
        appendCode(out, static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(code))));
}

/// A capital sigma is final when a cased letter comes before it and none after it.
bool isFinalSigma(std::string_view text, size_t at)
{
    bool casedBefore = false;
    for (size_t before = at; before > 0;) {
        do
            --before;
        while (before > 0 && (static_cast<unsigned char>(text[before]) & 0xC0U) == 0x80U);
        if (isCaseIgnorable(codeAt(text, before)))
            continue;
        casedBefore = isCased(codeAt(text, before));
        break;
    }
    size_t after = at + sequenceSize(text, at);
    while (after < text.size() && isCaseIgnorable(codeAt(text, after)))
        after += sequenceSize(text, after);
    return casedBefore && (after == text.size() || !isCased(codeAt(text, after)));
}

void appendLower(std::string& out, std::string_view text, size_t at)
{
    const char32_t code = codeAt(text, at);
    if (code == 0x3A3)
        appendCode(out, isFinalSigma(text, at) ? 0x3C2 : 0x3C3);
    else if (code == 0x130)
        out += "i\u0307";
    else
        appendCode(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))));
}

} // namespace

bool isLower(char32_t code)
{
    return categoryOf(code) == UTF8PROC_CATEGORY_LL || isIn(otherLower, code);
}
bool isUpper(char32_t code)
{
    return categoryOf(code) == UTF8PROC_CATEGORY_LU || isIn(otherUpper, code);
}

std::string toUpper(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at))
        appendUpper(out, codeAt(text, at));
    return out;
}

std::string toLower(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at))
        appendLower(out, text, at);
    return out;
}

std::string toTitle(std::string_view text)
{
    std::string out;
    bool inWord = false;
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at)) {
        if (inWord)
            appendLower(out, text, at);
        else
            appendTitle(out, codeAt(text, at));
        inWord = isCased(codeAt(text, at));
    }
    return out;
}

std::string capitalize(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at)) {
        if (at == 0)
            appendTitle(out, codeAt(text, at));
        else
            appendLower(out, text, at);
    }
    return out;
}

} // namespace tunebench::jinja
