#include "core/text/tokenizer/stream_decoder.h"

namespace tunebench {

std::string StreamDecoder::push(TokenId id)
{
    m_window.push_back(id);
    std::string text = pendingText();
    // A replacement character at the end may be the first part of a character.
    if (text.empty() || text.ends_with("\xEF\xBF\xBD")) {
        return {};
    }
    // What was shown now is all that decoders look back to; it begins with a whole character.
    m_window.erase(m_window.begin(), m_window.begin() + static_cast<std::ptrdiff_t>(m_shown));
    m_shown = m_window.size();
    m_shownText = m_tokenizer.decode(m_window);
    return text;
}

std::string StreamDecoder::finish()
{
    std::string rest = pendingText();
    m_window.clear();
    m_shown = 0;
    m_shownText.clear();
    return rest;
}

std::string StreamDecoder::pendingText() const
{
    std::string text = m_tokenizer.decode(m_window);
    return text.size() > m_shownText.size() ? text.substr(m_shownText.size()) : std::string();
}

} // namespace tunebench
