#include "core/text/vocabulary.h"

namespace tunebench {

Result<void> Vocabulary::add(std::string_view token, int64_t id)
{
    if (id < 0 || id > highestId) {
        return failure("the token \"" + std::string(token) + "\" has the id " + std::to_string(id)
            + ", which is not between 0 and " + std::to_string(highestId));
    }
    const auto index = static_cast<size_t>(id);
    if (index >= m_tokens.size()) {
        m_tokens.resize(index + 1);
    }
    const auto entry = m_ids.insert_or_assign(std::string(token), static_cast<TokenId>(id)).first;
    m_tokens[index] = &entry->first;
    return {};
}

void Vocabulary::reserve(size_t tokens)
{
    m_ids.reserve(tokens);
    m_tokens.reserve(tokens);
}

std::optional<TokenId> Vocabulary::idOf(std::string_view token) const
{
    const auto entry = m_ids.find(token);
    return entry == m_ids.end() ? std::nullopt : std::optional(entry->second);
}

const std::string* Vocabulary::tokenOf(TokenId id) const
{
    return id >= 0 && static_cast<size_t>(id) < m_tokens.size() ? m_tokens[static_cast<size_t>(id)] : nullptr;
}

} // namespace tunebench
