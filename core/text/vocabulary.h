#pragma once

#include "core/base/result.h"
#include "core/text/tokenizer.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tunebench {

/// Tokens and their ids. Tokens added by the tokenizer's own list are not in here (see AddedTokens).
class Vocabulary {
public:
    /// A token that is there already gets the new id. Ids are at most highestId.
    Result<void> add(std::string_view token, int64_t id);
    void reserve(size_t tokens);

    std::optional<TokenId> idOf(std::string_view token) const;
    /// Null where no token has the id.
    const std::string* tokenOf(TokenId id) const;

    /// How many tokens there are.
    size_t count() const { return m_ids.size(); }
    /// One more than the highest id.
    size_t size() const { return m_tokens.size(); }

    /// Bounds what a damaged file can make us allocate; the largest vocabularies have a quarter of a million tokens.
    static constexpr int64_t highestId = (1 << 24) - 1;

private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view> {}(text); }
    };
    std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> m_ids;
    std::vector<const std::string*> m_tokens; ///< by id; the map's own keys
};

} // namespace tunebench
