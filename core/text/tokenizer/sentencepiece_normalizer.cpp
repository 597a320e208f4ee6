#include "core/text/tokenizer/sentencepiece_normalizer.h"

#include "core/text/utf8.h"

#include <algorithm>
#include <cstring>

namespace tunebench {

namespace {

/// The fields of a unit of the double array, as darts-clone packs them.
bool hasLeaf(uint32_t unit)
{
    return (unit >> 8U & 1U) != 0;
}

uint32_t valueOf(uint32_t unit)
{
    return unit & 0x7FFFFFFFU;
}

uint32_t labelOf(uint32_t unit)
{
    return unit & (0x80000000U | 0xFFU);
}

uint32_t offsetOf(uint32_t unit)
{
    return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
}

/// Writes the normalised text; knows whether the last thing written ended with a space.
class Writer {
public:
    Writer(AlignedText& text, const SentencePieceNormalizer& rules)
        : m_source(text.text())
        , m_rules(rules)
        , m_space(rules.marksSpaces ? spaceMark : " ")
        , m_rewriter(text)
        , m_afterSpace(rules.dropsExtraSpaces)
    {
    }

    void run(bool prefixed)
    {
        const size_t whole = m_source.size();
        size_t position = 0;
        if (m_rules.dropsExtraSpaces) {
            m_source = m_source.substr(0, endWithoutSpaces());
            position = skipSpacesAtStart();
            m_rewriter.replaceUntil(position, "");
        }
        if (prefixed && position < m_source.size()) {
            position = writeFirstCharacter(position);
        }
        while (position < m_source.size()) {
            const CharacterMap::Match match = partAt(position);
            position += match.length;
            if (match.replacement.find(' ') == std::string_view::npos && isAsInText(position - match.length, match)) {
                m_rewriter.keepUntil(position);
                m_afterSpace = false;
            } else {
                write(position, match.replacement, "");
            }
        }
        m_rewriter.replaceUntil(whole, "");
        m_rewriter.finish();
    }

private:
    CharacterMap::Match partAt(size_t position) const
    {
        const std::string_view rest = m_source.substr(position);
        if (m_rules.map.empty()) {
            const size_t length = rest[0] == ' ' ? 1 : std::min(rest.find(' '), rest.size());
            return { length, rest.substr(0, length) };
        }
        if (const auto whole = m_rules.whole.longestAt(m_source, position)) {
            return { whole->length, rest.substr(0, whole->length) };
        }
        const CharacterMap::Match mapped = m_rules.map.longestAtStart(rest);
        const size_t length = utf8Length(rest[0]);
        return mapped.length > 0 ? mapped : CharacterMap::Match { length, rest.substr(0, length) };
    }

    size_t skipSpacesAtStart() const
    {
        size_t position = 0;
        while (position < m_source.size()) {
            const CharacterMap::Match match = partAt(position);
            if (match.replacement != " ") {
                break;
            }
            position += match.length;
        }
        return position;
    }

    /// Where the spaces at the end begin; a U+2581 of the text itself counts as one.
    size_t endWithoutSpaces() const
    {
        size_t end = 0;
        for (size_t position = 0; position < m_source.size();) {
            const CharacterMap::Match match = partAt(position);
            std::string_view rest = match.replacement;
            while (rest.ends_with(' ') || rest.ends_with(m_space)) {
                rest.remove_suffix(rest.ends_with(' ') ? 1 : m_space.size());
            }
            end = rest.empty() ? end : position + (isAsInText(position, match) ? rest.size() : match.length);
            position += match.length;
        }
        return end;
    }

    /// The prefix stands for the first character only.
    size_t writeFirstCharacter(size_t position)
    {
        CharacterMap::Match match = partAt(position);
        if (isAsInText(position, match)) {
            match.length = utf8Length(m_source[position]);
            match.replacement = match.replacement.substr(0, match.length);
        }
        write(position + match.length, match.replacement, m_space);
        return position + match.length;
    }

    /// Writes a part that stands for the text up to `end`.
    void write(size_t end, std::string_view part, std::string_view prefix)
    {
        std::string written(prefix);
        for (const char byte : part) {
            m_afterSpace = m_afterSpace && byte == ' ';
            if (m_afterSpace) {
                continue;
            }
            byte == ' ' ? written.append(m_space) : written.append(1, byte);
        }
        m_afterSpace = m_afterSpace || (m_rules.dropsExtraSpaces && part.ends_with(' '));
        m_rewriter.replaceUntil(end, written);
    }

    bool isAsInText(size_t position, const CharacterMap::Match& match) const
    {
        return m_source.substr(position, match.length) == match.replacement;
    }

    std::string_view m_source;
    const SentencePieceNormalizer& m_rules;
    std::string_view m_space;
    TextRewriter m_rewriter;
    bool m_afterSpace;
};

} // namespace

Result<CharacterMap> CharacterMap::read(std::string_view bytes)
{
    CharacterMap map;
    if (bytes.empty()) {
        return map;
    }
    uint32_t size = 0;
    if (bytes.size() >= sizeof size) {
        std::memcpy(&size, bytes.data(), sizeof size);
    }
    bytes.remove_prefix(std::min(bytes.size(), sizeof size));
    if (size == 0 || size > bytes.size() || size % sizeof(uint32_t) != 0 || !bytes.ends_with('\0')) {
        return failure("has a \"precompiled_charsmap\" that cannot be read; the file may be damaged");
    }
    map.m_units.resize(size / sizeof(uint32_t));
    std::memcpy(map.m_units.data(), bytes.data(), size);
    map.m_texts = bytes.substr(size);
    return map;
}

CharacterMap::Match CharacterMap::longestAtStart(std::string_view text) const
{
    Match longest;
    if (m_units.empty()) {
        return longest;
    }
    size_t node = offsetOf(m_units[0]);
    for (size_t length = 1; length <= text.size(); ++length) {
        const auto byte = static_cast<unsigned char>(text[length - 1]);
        node ^= byte;
        if (byte == 0 || node >= m_units.size() || labelOf(m_units[node]) != byte) {
            break;
        }
        const uint32_t unit = m_units[node];
        node ^= offsetOf(unit);
        if (hasLeaf(unit) && node < m_units.size() && valueOf(m_units[node]) < m_texts.size()) {
            longest = { length, m_texts.c_str() + valueOf(m_units[node]) };
        }
    }
    return longest;
}

void SentencePieceNormalizer::apply(AlignedText& text) const
{
    Writer(text, *this).run(prefixSpace && (!prefixOnlyAtStart || text.startsInput()));
}

} // namespace tunebench
