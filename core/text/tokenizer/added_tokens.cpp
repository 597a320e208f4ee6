#include "core/text/tokenizer/added_tokens.h"

#include "core/text/utf8.h"

#include <algorithm>

namespace tunebench {

namespace {

bool insideWord(std::string_view text, size_t begin, size_t end)
{
    const bool wordBefore = begin > 0 && isWordCharacter(codePointAt(text, previousCharacter(text, begin)));
    const bool wordBehind = end < text.size() && isWordCharacter(codePointAt(text, end));
    return wordBefore || wordBehind;
}

size_t skipSpaceLeft(std::string_view text, size_t position, size_t limit)
{
    while (position > limit) {
        const size_t previous = previousCharacter(text, position);
        if (!isWhiteSpace(codePointAt(text, previous))) {
            break;
        }
        position = previous;
    }
    return position;
}

size_t skipSpaceRight(std::string_view text, size_t position)
{
    while (position < text.size() && isWhiteSpace(codePointAt(text, position))) {
        position += utf8Length(text[position]);
    }
    return position;
}

} // namespace

Result<void> AddedTokens::add(const AddedToken& token, const Vocabulary& vocabulary, const Normalizer& normalizer)
{
    if (token.content.empty()) {
        return {};
    }
    if (!isValidUtf8(token.content)) {
        return failure("an added token is not valid UTF-8");
    }
    auto id = idOf(token.content);
    id = id ? id : vocabulary.idOf(token.content);
    id = id ? id : nextId(vocabulary);
    m_ids[token.content] = *id;
    AlignedText content(token.content, 0, false);
    if (token.normalized) {
        normalizer.apply(content);
    }
    (token.normalized ? m_normalized : m_raw).add(content.text(), *id);
    m_tokens[*id] = { token, content.text() };
    return {};
}

void AddedTokens::addWhole(const std::string& content, TokenId id)
{
    m_ids[content] = id;
    m_normalized.add(content, id);
    Entry& entry = m_tokens[id];
    entry.token.content = content;
    entry.spelling = content;
}

TokenId AddedTokens::nextId(const Vocabulary& vocabulary) const
{
    return static_cast<TokenId>(std::max(vocabulary.count(), size()));
}

std::vector<TextSegment> AddedTokens::split(std::string_view text, bool normalized) const
{
    const TextTrie& trie = normalized ? m_normalized : m_raw;
    std::vector<TextSegment> segments;
    size_t done = 0;
    for (size_t position = 0; position < text.size() && !trie.empty();) {
        const std::optional<TextTrie::Match> match = trie.longestAt(text, position);
        if (!match) {
            ++position;
            continue;
        }
        const AddedToken& token = m_tokens.at(match->id).token;
        size_t begin = position;
        position += match->length;
        size_t end = position;
        if (token.singleWord && insideWord(text, begin, end)) {
            continue;
        }
        begin = token.leftStrip ? std::max(skipSpaceLeft(text, begin, done), done) : begin;
        end = token.rightStrip ? skipSpaceRight(text, end) : end;
        if (done < begin) {
            segments.push_back({ { done, begin }, std::nullopt });
        }
        // A token of white space may have been taken by the one before it.
        if (begin < end) {
            segments.push_back({ { begin, end }, match->id });
        }
        done = end;
    }
    if (done < text.size()) {
        segments.push_back({ { done, text.size() }, std::nullopt });
    }
    return segments;
}

std::optional<TokenId> AddedTokens::idOf(std::string_view content) const
{
    const auto entry = m_ids.find(content);
    return entry == m_ids.end() ? std::nullopt : std::optional(entry->second);
}

const std::string* AddedTokens::tokenOf(TokenId id) const
{
    const auto entry = m_tokens.find(id);
    return entry == m_tokens.end() ? nullptr : &entry->second.token.content;
}

const std::string* AddedTokens::spellingOf(TokenId id) const
{
    const auto entry = m_tokens.find(id);
    return entry == m_tokens.end() ? nullptr : &entry->second.spelling;
}

} // namespace tunebench
