#pragma once

#include "core/text/tokenizer/tokenizer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// Merges as a file spells them, in the order of their rank, in one block of text.
class MergeTexts {
public:
    void add(std::string_view left, std::string_view right);
    size_t count() const { return m_entries.size(); }
    bool empty() const { return m_entries.empty(); }
    std::string_view left(size_t rank) const { return view(m_entries[rank].offset, m_entries[rank].left); }
    std::string_view right(size_t rank) const
    {
        return view(m_entries[rank].offset + m_entries[rank].left, m_entries[rank].right);
    }

private:
    struct Entry {
        size_t offset; ///< in m_text
        uint32_t left, right; ///< bytes
    };
    std::string_view view(size_t offset, size_t length) const { return { m_text.data() + offset, length }; }

    std::string m_text;
    std::vector<Entry> m_entries;
};

/// Which two neighbouring tokens become which token, and which pair goes first: an open hash table.
class MergeTable {
public:
    struct Merge {
        uint32_t rank = 0; ///< lower ranks are merged first
        TokenId result = 0;
    };

    struct Entry {
        TokenId left, right;
        Merge merge;
    };

    MergeTable() = default;
    /// The last entry of a pair counts.
    explicit MergeTable(const std::vector<Entry>& entries);
    const Merge* find(TokenId left, TokenId right) const;
    /// Calls `use(result)` for the result of every merge.
    template <class Use> void forEachResult(const Use& use) const
    {
        for (const Slot& slot : m_slots) {
            if (slot.pair != emptySlot) {
                use(slot.merge.result);
            }
        }
    }

private:
    struct Slot {
        uint64_t pair = emptySlot;
        Merge merge;
    };
    static constexpr uint64_t emptySlot = ~uint64_t { 0 };
    size_t homeOf(uint64_t pair) const;
    size_t slotOf(uint64_t pair) const;

    std::vector<Slot> m_slots { 1 };
};

} // namespace tunebench
