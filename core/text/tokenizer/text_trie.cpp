#include "core/text/tokenizer/text_trie.h"

namespace tunebench {

TextTrie::TextTrie()
    : m_ids(1, -1)
{
}

void TextTrie::add(std::string_view text, TokenId id)
{
    uint32_t node = 0;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        uint32_t& next = node == 0 ? m_first[byte] : m_next[static_cast<uint64_t>(node) << 8U | byte];
        if (next == 0) {
            next = static_cast<uint32_t>(m_ids.size());
            m_ids.push_back(-1);
        }
        node = next;
    }
    if (node != 0 && m_ids[node] < 0) {
        m_ids[node] = id;
    }
}

std::optional<TextTrie::Match> TextTrie::longestAt(std::string_view text, size_t position) const
{
    std::optional<Match> longest;
    uint32_t node = m_first[static_cast<unsigned char>(text[position])];
    for (size_t length = 1; node != 0; ++length) {
        if (m_ids[node] >= 0) {
            longest = { m_ids[node], length };
        }
        if (position + length >= text.size()) {
            break;
        }
        const auto byte = static_cast<unsigned char>(text[position + length]);
        const auto next = m_next.find(static_cast<uint64_t>(node) << 8U | byte);
        node = next == m_next.end() ? 0 : next->second;
    }
    return longest;
}

} // namespace tunebench
