#include "core/text/tokenizer/vocabulary.h"

#include <functional>
#include <limits>

namespace tunebench {

namespace {

uint32_t hashOf(std::string_view token)
{
    const uint64_t hash = std::hash<std::string_view> {}(token);
    return static_cast<uint32_t>(hash ^ hash >> 32U);
}

} // namespace

Vocabulary::Vocabulary()
    : m_slots(1024)
{
}

Result<void> Vocabulary::add(std::string_view token, int64_t id)
{
    if (id < 0 || id > highestId) {
        return failure("the token \"" + std::string(token) + "\" has the id " + std::to_string(id)
            + ", which is not between 0 and " + std::to_string(highestId));
    }
    const uint32_t hash = hashOf(token);
    Slot& slot = m_slots[slotOf(token, hash)];
    if (slot.entry == noEntry) {
        if (m_text.size() + token.size() > std::numeric_limits<uint32_t>::max()) {
            return failure("the vocabulary has more than 4 GiB of text");
        }
        m_entries.push_back({ static_cast<uint32_t>(m_text.size()), static_cast<uint32_t>(token.size()), 0 });
        slot = { hash, static_cast<uint32_t>(m_entries.size() - 1) };
        m_text += token;
    }
    const uint32_t entry = slot.entry;
    m_entries[entry].id = static_cast<TokenId>(id);
    if (static_cast<size_t>(id) >= m_entryOfId.size()) {
        m_entryOfId.resize(static_cast<size_t>(id) + 1, noEntry);
    }
    m_entryOfId[static_cast<size_t>(id)] = entry;
    if (m_entries.size() * 2 > m_slots.size()) {
        grow();
    }
    return {};
}

size_t Vocabulary::slotOf(std::string_view token, uint32_t hash) const
{
    const size_t mask = m_slots.size() - 1;
    size_t index = hash & mask;
    while (m_slots[index].entry != noEntry
        && (m_slots[index].hash != hash || textOf(m_entries[m_slots[index].entry]) != token)) {
        index = (index + 1) & mask;
    }
    return index;
}

void Vocabulary::grow()
{
    std::vector<Slot> old(m_slots.size() * 2);
    old.swap(m_slots);
    const size_t mask = m_slots.size() - 1;
    for (const Slot& slot : old) {
        if (slot.entry == noEntry) {
            continue;
        }
        size_t index = slot.hash & mask;
        while (m_slots[index].entry != noEntry) {
            index = (index + 1) & mask;
        }
        m_slots[index] = slot;
    }
}

std::optional<TokenId> Vocabulary::idOf(std::string_view token) const
{
    const Slot& slot = m_slots[slotOf(token, hashOf(token))];
    return slot.entry == noEntry ? std::nullopt : std::optional(m_entries[slot.entry].id);
}

void Vocabulary::expect(std::string_view token) const
{
    __builtin_prefetch(&m_slots[hashOf(token) & (m_slots.size() - 1)]);
}

bool Vocabulary::isIdOf(TokenId id, std::string_view token) const
{
    return tokenOf(id) == token && m_entries[m_entryOfId[static_cast<size_t>(id)]].id == id;
}

std::optional<std::string_view> Vocabulary::tokenOf(TokenId id) const
{
    const auto index = static_cast<size_t>(id);
    if (id < 0 || index >= m_entryOfId.size() || m_entryOfId[index] == noEntry) {
        return std::nullopt;
    }
    return textOf(m_entries[m_entryOfId[index]]);
}

} // namespace tunebench
