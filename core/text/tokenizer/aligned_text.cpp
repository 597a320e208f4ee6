#include "core/text/tokenizer/aligned_text.h"

#include "core/text/utf8.h"

namespace tunebench {

AlignedText::AlignedText(std::string_view input, size_t offset, bool tracked)
    : m_text(input)
    , m_offset(offset)
    , m_tracked(tracked)
    , m_startsInput(offset == 0)
{
}

ByteSpan AlignedText::origin(size_t begin, size_t end) const
{
    while (begin > 0 && begin < m_text.size() && isUtf8Continuation(m_text[begin])) {
        --begin;
    }
    while (end < m_text.size() && isUtf8Continuation(m_text[end])) {
        ++end;
    }
    if (m_origins.empty()) {
        return { m_offset + begin, m_offset + end };
    }
    if (begin >= end) {
        const size_t at = begin < m_origins.size() ? m_origins[begin].begin : m_origins.back().end;
        return { at, at };
    }
    return { m_origins[begin].begin, m_origins[end - 1].end };
}

AlignedText AlignedText::slice(size_t begin, size_t end) const
{
    AlignedText result(std::string_view(m_text).substr(begin, end - begin), m_offset + begin, m_tracked);
    result.m_startsInput = m_startsInput && begin == 0;
    if (!m_origins.empty()) {
        result.m_origins.assign(m_origins.begin() + static_cast<std::ptrdiff_t>(begin),
            m_origins.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return result;
}

TextRewriter::TextRewriter(AlignedText& text)
    : m_text(text)
{
    m_result.reserve(text.m_text.size() + text.m_text.size() / 4);
}

void TextRewriter::keepUntil(size_t end)
{
    m_result.append(m_text.m_text, m_position, end - m_position);
    if (m_text.m_tracked) {
        for (; m_position < end; ++m_position) {
            m_origins.push_back(m_text.origin(m_position, m_position + 1));
        }
    }
    m_position = end;
}

void TextRewriter::replaceUntil(size_t end, std::string_view replacement)
{
    m_result += replacement;
    if (m_text.m_tracked) {
        m_origins.resize(m_result.size(), m_text.origin(m_position, end));
    }
    m_position = end;
}

void TextRewriter::finish()
{
    keepUntil(m_text.m_text.size());
    m_text.m_text = std::move(m_result);
    m_text.m_origins = std::move(m_origins);
}

} // namespace tunebench
