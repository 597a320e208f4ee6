#include "core/text/tokenizer/unicode.h"

#include "core/text/utf8.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utf8proc.h>
#include <vector>

namespace tunebench {

namespace {

struct StandIn {
    char32_t first, last, substitute;
};

constexpr StandIn standIns[] = {
#include "core/text/tokenizer/regex_stand_ins.inc"
};

struct CodePointRange {
    char32_t first, last;
};

/// Characters that are newer than the library's normalisation tables: it leaves them as they are.
constexpr CodePointRange normalizationGaps[] = {
#include "core/text/tokenizer/normalization_gaps.inc"
};

bool isNormalizationGap(char32_t codePoint)
{
    const auto* range = std::lower_bound(std::begin(normalizationGaps), std::end(normalizationGaps), codePoint,
        [](const CodePointRange& entry, char32_t value) { return entry.last < value; });
    return range != std::end(normalizationGaps) && range->first <= codePoint;
}

constexpr size_t pageBits = 8;

/// True at the pages of 256 code points that hold a character with a stand-in.
constexpr auto standInPages = [] {
    std::array<bool, (0x110000 >> pageBits)> pages {};
    for (const StandIn& range : standIns) {
        for (size_t page = range.first >> pageBits; page <= range.last >> pageBits; ++page) {
            pages[page] = true;
        }
    }
    return pages;
}();

/// 0 where the character stands for itself.
char32_t standInFor(char32_t codePoint)
{
    if (!standInPages[codePoint >> pageBits]) {
        return 0;
    }
    const auto* range = std::lower_bound(std::begin(standIns), std::end(standIns), codePoint,
        [](const StandIn& entry, char32_t value) { return entry.last < value; });
    return range != std::end(standIns) && range->first <= codePoint ? range->substitute : 0;
}

bool isCompatible(NormalizationForm form)
{
    return form == NormalizationForm::nfkc || form == NormalizationForm::nfkd;
}

utf8proc_option_t optionsOf(NormalizationForm form)
{
    const bool compose = form == NormalizationForm::nfc || form == NormalizationForm::nfkc;
    return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | (compose ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE)
        | (isCompatible(form) ? UTF8PROC_COMPAT : 0));
}

bool isConjoiningVowelOrFinal(char32_t codePoint)
{
    return codePoint >= 0x1160 && codePoint <= 0x11FF;
}

/// What the character's decomposition begins with: half-width marks and letters of Hangul join what stands before them
/// only in the compatible forms.
char32_t firstOfDecomposition(char32_t codePoint)
{
    std::array<utf8proc_int32_t, 32> points {};
    int lastBoundClass = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(codePoint), points.data(), points.size(),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT), &lastBoundClass);
    return count > 0 ? static_cast<char32_t>(points[0]) : codePoint;
}

/// True when the form does not join or reorder this character with what stands before it.
bool startsRun(char32_t codePoint, NormalizationForm form)
{
    if (codePoint < 0x300) {
        return true;
    }
    const char32_t first = isCompatible(form) ? firstOfDecomposition(codePoint) : codePoint;
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(first));
    const bool mark = property->category >= UTF8PROC_CATEGORY_MN && property->category <= UTF8PROC_CATEGORY_ME;
    const bool joins = property->combining_class != 0 || mark || isConjoiningVowelOrFinal(first);
    return !joins || isNormalizationGap(codePoint);
}

/// The end of the run of a starter and what may join it.
size_t runEnd(std::string_view text, size_t begin, NormalizationForm form)
{
    size_t end = begin + utf8Length(text[begin]);
    if (isNormalizationGap(codePointAt(text, begin))) {
        return end;
    }
    while (end < text.size() && !startsRun(codePointAt(text, end), form)) {
        end += utf8Length(text[end]);
    }
    return end;
}

/// Normalises one run with buffers that are used again.
class RunNormalizer {
public:
    explicit RunNormalizer(NormalizationForm form)
        : m_options(optionsOf(form))
    {
    }

    const std::string& normalize(std::string_view run)
    {
        m_result.assign(run);
        const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(run.data());
        const auto size = static_cast<utf8proc_ssize_t>(run.size());
        m_points.resize(std::max<size_t>(m_points.size(), 32));
        utf8proc_ssize_t count = 0;
        while ((count = utf8proc_decompose(bytes, size, m_points.data(), capacity(), m_options)) > capacity()) {
            m_points.resize(static_cast<size_t>(count));
        }
        if (count >= 0) {
            count = utf8proc_normalize_utf32(m_points.data(), count, m_options);
            m_result.clear();
            std::for_each_n(m_points.begin(), count,
                [&](utf8proc_int32_t point) { appendUtf8(m_result, static_cast<char32_t>(point)); });
        }
        return m_result;
    }

private:
    utf8proc_ssize_t capacity() const { return static_cast<utf8proc_ssize_t>(m_points.size()); }

    utf8proc_option_t m_options;
    std::vector<utf8proc_int32_t> m_points;
    std::string m_result;
};

/// The first code point that a form may change or join.
char32_t firstAffected(NormalizationForm form)
{
    return form == NormalizationForm::nfc ? 0x300 : form == NormalizationForm::nfd ? 0xC0 : 0xA0;
}

} // namespace

bool isWhiteSpace(char32_t codePoint)
{
    return (codePoint >= 0x09 && codePoint <= 0x0D) || codePoint == 0x20 || codePoint == 0x85 || codePoint == 0xA0
        || codePoint == 0x1680 || (codePoint >= 0x2000 && codePoint <= 0x200A) || codePoint == 0x2028
        || codePoint == 0x2029 || codePoint == 0x202F || codePoint == 0x205F || codePoint == 0x3000;
}

bool isWordCharacter(char32_t codePoint)
{
    const char32_t substitute = standInFor(codePoint);
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(substitute == 0 ? codePoint : substitute));
    const bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL;
    const bool joiner = codePoint == 0x200C || codePoint == 0x200D;
    const bool circledLetter = (codePoint >= 0x24B6 && codePoint <= 0x24E9)
        || (codePoint >= 0x1F130 && codePoint <= 0x1F149) || (codePoint >= 0x1F150 && codePoint <= 0x1F169)
        || (codePoint >= 0x1F170 && codePoint <= 0x1F189);
    return letter || category == UTF8PROC_CATEGORY_PC || joiner || circledLetter;
}

void normalizeUnicode(AlignedText& text, NormalizationForm form)
{
    const std::string_view source = text.text();
    const char32_t affected = firstAffected(form);
    RunNormalizer normalizer(form);
    TextRewriter rewriter(text);
    bool changed = false;
    for (size_t begin = 0; begin < source.size();) {
        const size_t end = runEnd(source, begin, form);
        const char32_t first = codePointAt(source, begin);
        if ((end - begin > 2 || first >= affected) && !isNormalizationGap(first)) {
            const std::string_view run = source.substr(begin, end - begin);
            const std::string& normal = normalizer.normalize(run);
            if (normal != run) {
                changed = true;
                rewriter.keepUntil(begin);
                rewriter.replaceUntil(end, normal);
            }
        }
        begin = end;
    }
    if (changed) {
        rewriter.finish();
    }
}

std::string_view withRegexStandIns(std::string_view text, std::string& buffer)
{
    bool changed = false;
    for (size_t position = 0; position < text.size(); position += utf8Length(text[position])) {
        if (static_cast<unsigned char>(text[position]) < 0xE0) {
            continue;
        }
        if (const char32_t substitute = standInFor(codePointAt(text, position)); substitute != 0) {
            if (!changed) {
                buffer.assign(text);
                changed = true;
            }
            std::string bytes;
            appendUtf8(bytes, substitute);
            buffer.replace(position, bytes.size(), bytes);
        }
    }
    return changed ? std::string_view(buffer) : text;
}

} // namespace tunebench
