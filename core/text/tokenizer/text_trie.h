#pragma once

#include "core/text/tokenizer/tokenizer.h"

#include <array>
#include <unordered_map>

namespace tunebench {

/// Finds the longest of many texts at a place.
class TextTrie {
public:
    TextTrie();
    void add(std::string_view text, TokenId id);

    struct Match {
        TokenId id;
        size_t length;
    };
    std::optional<Match> longestAt(std::string_view text, size_t position) const;
    bool empty() const { return m_ids.size() == 1; }

private:
    std::array<uint32_t, 256> m_first {}; ///< the node behind each first byte; 0: none
    std::unordered_map<uint64_t, uint32_t> m_next; ///< (node << 8 | byte) -> node
    std::vector<TokenId> m_ids; ///< by node; -1: no text ends there
};

} // namespace tunebench
