#include "core/text/tokenizer/merge_table.h"

#include <bit>

namespace tunebench {

namespace {

uint64_t pairKey(TokenId left, TokenId right)
{
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32U | static_cast<uint32_t>(right);
}

} // namespace

void MergeTexts::add(std::string_view left, std::string_view right)
{
    m_entries.push_back({ m_text.size(), static_cast<uint32_t>(left.size()), static_cast<uint32_t>(right.size()) });
    m_text.append(left).append(right);
}

MergeTable::MergeTable(const std::vector<Entry>& entries)
    : m_slots(std::bit_ceil(entries.size() + entries.size() / 2 + 2))
{
    // The table is larger than the processor's caches: each place is asked for some entries ahead.
    constexpr size_t ahead = 8;
    for (size_t index = 0; index < entries.size(); ++index) {
        if (index + ahead < entries.size()) {
            const Entry& later = entries[index + ahead];
            __builtin_prefetch(&m_slots[homeOf(pairKey(later.left, later.right))], 1);
        }
        const Entry& entry = entries[index];
        const uint64_t pair = pairKey(entry.left, entry.right);
        m_slots[slotOf(pair)] = { pair, entry.merge };
    }
}

size_t MergeTable::homeOf(uint64_t pair) const
{
    const uint64_t mixed = (pair ^ pair >> 29U) * 0x9E3779B97F4A7C15ULL;
    return (mixed >> 32U) & (m_slots.size() - 1);
}

size_t MergeTable::slotOf(uint64_t pair) const
{
    size_t slot = homeOf(pair);
    while (m_slots[slot].pair != emptySlot && m_slots[slot].pair != pair) {
        slot = (slot + 1) & (m_slots.size() - 1);
    }
    return slot;
}

const MergeTable::Merge* MergeTable::find(TokenId left, TokenId right) const
{
    const Slot& slot = m_slots[slotOf(pairKey(left, right))];
    return slot.pair == emptySlot ? nullptr : &slot.merge;
}

} // namespace tunebench
