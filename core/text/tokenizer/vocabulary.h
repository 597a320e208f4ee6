#pragma once

#include "core/base/result.h"
#include "core/text/tokenizer/tokenizer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// Tokens and their ids, as an open hash table over one block of text: merges look up millions of tokens when a
/// tokenizer is opened. Tokens added by the tokenizer's own list are not in here (see AddedTokens).
class Vocabulary {
public:
    Vocabulary();

    /// A token that is there already gets the new id. Ids are at most highestId.
    Result<void> add(std::string_view token, int64_t id);

    std::optional<TokenId> idOf(std::string_view token) const;
    bool isIdOf(TokenId id, std::string_view token) const;
    /// Has the token's place read into the processor's cache, for an idOf() that comes soon.
    void expect(std::string_view token) const;
    /// Nothing where no token has the id. The view is good until the next add().
    std::optional<std::string_view> tokenOf(TokenId id) const;

    /// How many tokens there are.
    size_t count() const { return m_entries.size(); }
    /// One more than the highest id.
    size_t size() const { return m_entryOfId.size(); }

    /// Bounds what a damaged file can make us allocate; the largest vocabularies have a quarter of a million tokens.
    static constexpr int64_t highestId = (1 << 24) - 1;

private:
    struct Entry {
        uint32_t offset; ///< in m_text
        uint32_t length;
        TokenId id;
    };
    struct Slot {
        uint32_t hash = 0;
        uint32_t entry = noEntry;
    };
    static constexpr uint32_t noEntry = ~uint32_t { 0 };

    std::string_view textOf(const Entry& entry) const { return { m_text.data() + entry.offset, entry.length }; }
    size_t slotOf(std::string_view token, uint32_t hash) const;
    void grow();

    std::string m_text;
    std::vector<Entry> m_entries;
    std::vector<Slot> m_slots; ///< a power of two, at most half full
    std::vector<uint32_t> m_entryOfId;
};

} // namespace tunebench
