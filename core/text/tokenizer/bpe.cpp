#include "core/text/tokenizer/bpe.h"

#include "core/text/utf8.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <queue>
#include <unordered_map>

namespace tunebench {

namespace {

std::string byteTokenName(unsigned byte)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    return { '<', '0', 'x', digits[byte >> 4U], digits[byte & 15U], '>' };
}

/// A merge that was possible when it was noted down.
struct Candidate {
    MergeTable::Merge merge;
    uint32_t left; ///< index of the left token
    TokenId leftId, rightId;

    bool operator<(const Candidate& other) const
    {
        return merge.rank != other.merge.rank ? merge.rank > other.merge.rank : left > other.left;
    }
};

/// The tokens of a word as a linked list, so that two become one in constant time.
class MergeList {
public:
    MergeList(std::vector<WordToken>& tokens, const MergeTable& merges)
        : m_tokens(tokens)
        , m_links(tokens.size())
        , m_merges(merges)
    {
        for (uint32_t index = 0; index < m_links.size(); ++index) {
            m_links[index] = { index - 1, index + 1 };
        }
        std::vector<Candidate> candidates;
        candidates.reserve(tokens.size());
        for (uint32_t index = 0; index + 1 < m_links.size(); ++index) {
            note(index, index + 1, [&](const Candidate& candidate) { candidates.push_back(candidate); });
        }
        m_queue = std::priority_queue<Candidate>({}, std::move(candidates));
    }

    void run()
    {
        while (!m_queue.empty()) {
            const Candidate candidate = m_queue.top();
            m_queue.pop();
            if (stillPossible(candidate)) {
                apply(candidate);
            }
        }
        std::erase_if(m_tokens, [](const WordToken& token) { return token.id == gone; });
    }

private:
    struct Links {
        uint32_t previous, next;
    };
    static constexpr TokenId gone = -1;

    /// As in the original, only the result is compared: after a neighbour changed, another pair with the same result
    /// may take the place, at the rank that was noted down.
    bool stillPossible(const Candidate& candidate) const
    {
        const WordToken& left = m_tokens[candidate.left];
        const uint32_t next = m_links[candidate.left].next;
        if (left.id == gone || next >= m_tokens.size()) {
            return false;
        }
        if (left.id == candidate.leftId && m_tokens[next].id == candidate.rightId) {
            return true;
        }
        const MergeTable::Merge* merge = m_merges.find(left.id, m_tokens[next].id);
        return merge != nullptr && merge->result == candidate.merge.result;
    }

    void apply(const Candidate& candidate)
    {
        const uint32_t left = candidate.left;
        const uint32_t right = m_links[left].next;
        const uint32_t after = m_links[right].next;
        m_tokens[left] = { candidate.merge.result, m_tokens[left].begin, m_tokens[right].end };
        m_tokens[right].id = gone;
        m_links[left].next = after;
        const auto push = [&](const Candidate& possible) { m_queue.push(possible); };
        if (after < m_tokens.size()) {
            m_links[after].previous = left;
            note(left, after, push);
        }
        if (const uint32_t previous = m_links[left].previous; previous < m_tokens.size()) {
            note(previous, left, push);
        }
    }

    template <class Use> void note(uint32_t left, uint32_t right, const Use& use) const
    {
        const TokenId leftId = m_tokens[left].id;
        const TokenId rightId = m_tokens[right].id;
        if (const MergeTable::Merge* merge = m_merges.find(leftId, rightId)) {
            use({ *merge, left, leftId, rightId });
        }
    }

    std::vector<WordToken>& m_tokens;
    std::vector<Links> m_links; ///< an index past the end: nothing there
    const MergeTable& m_merges;
    std::priority_queue<Candidate> m_queue;
};

} // namespace

namespace {

/// The token's id. Trained vocabularies are in the order of their merges, so the id is most often `guess` or the next.
std::optional<TokenId> idNear(const Vocabulary& vocabulary, std::string_view token, TokenId guess)
{
    for (const TokenId id : { guess, guess + 1 }) {
        if (vocabulary.isIdOf(id, token)) {
            return id;
        }
    }
    return vocabulary.idOf(token);
}

/// The end of the word that begins with marks, or without one at the start of the text.
size_t endOfMarkedWord(std::string_view text, size_t begin)
{
    while (text.substr(begin).starts_with(spaceMark)) {
        begin += spaceMark.size();
    }
    return std::min(text.find(spaceMark, begin), text.size());
}

} // namespace

/// Short words and their tokens. Shards keep threads out of each other's way; a full shard takes nothing more.
class Bpe::Cache {
public:
    static constexpr size_t longestWord = 64;

    bool find(std::string_view word, std::vector<WordToken>& tokens)
    {
        Shard& shard = shardOf(word);
        const std::lock_guard lock(shard.mutex);
        const auto entry = shard.words.find(word);
        if (entry == shard.words.end()) {
            return false;
        }
        tokens.insert(tokens.end(), entry->second.begin(), entry->second.end());
        return true;
    }

    void add(std::string_view word, const std::vector<WordToken>& tokens)
    {
        Shard& shard = shardOf(word);
        const std::lock_guard lock(shard.mutex);
        if (shard.words.size() < wordsPerShard) {
            shard.words.try_emplace(std::string(word), tokens);
        }
    }

private:
    static constexpr size_t wordsPerShard = 4096;
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view> {}(text); }
    };
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::string, std::vector<WordToken>, Hash, std::equal_to<>> words;
    };

    Shard& shardOf(std::string_view word) { return m_shards[Hash {}(word) >> 7U & (m_shards.size() - 1)]; }

    std::array<Shard, 16> m_shards;
};

Result<Bpe> Bpe::create(Vocabulary vocabulary, const MergeTexts& merges, BpeOptions options)
{
    std::vector<MergeTable::Entry> entries;
    entries.reserve(merges.count());
    std::string joined;
    TokenId guess = 0;
    for (size_t rank = 0; rank < merges.count(); ++rank) {
        if (constexpr size_t ahead = 8; rank + ahead < merges.count()) {
            vocabulary.expect(merges.left(rank + ahead));
            vocabulary.expect(merges.right(rank + ahead));
        }
        const std::string_view left = merges.left(rank);
        const std::string_view right = merges.right(rank);
        const bool prefixed = right.size() >= options.continuingPrefix.size();
        joined.assign(left).append(right.substr(prefixed ? options.continuingPrefix.size() : 0));
        const auto leftId = vocabulary.idOf(left);
        const auto rightId = vocabulary.idOf(right);
        const auto result = idNear(vocabulary, joined, guess);
        if (!leftId || !rightId || !result) {
            const std::string_view missing = !leftId ? left : !rightId ? right : joined;
            return failure("merge " + std::to_string(rank + 1) + " (\"" + std::string(left) + "\", \""
                + std::string(right) + "\") needs the token \"" + std::string(missing)
                + "\", which is not in the vocabulary");
        }
        entries.push_back({ *leftId, *rightId, { static_cast<uint32_t>(rank), *result } });
        guess = *result;
    }
    return Bpe(std::move(vocabulary), MergeTable(entries), std::move(options));
}

Bpe::Bpe(Vocabulary vocabulary, MergeTable merges, BpeOptions options)
    : m_vocabulary(std::move(vocabulary))
    , m_merges(std::move(merges))
    , m_options(std::move(options))
    , m_cache(std::make_unique<Cache>())
{
    if (m_options.unknownToken) {
        m_unknown = m_vocabulary.idOf(*m_options.unknownToken);
    }
    m_cutsAtMarks = wordsEndAtMarks();
    for (unsigned byte = 0; m_options.byteFallback && byte < 256; ++byte) {
        m_byteTokens.push_back(m_vocabulary.idOf(byteTokenName(byte)));
    }
}

Bpe::Bpe(Bpe&&) noexcept = default;
Bpe& Bpe::operator=(Bpe&&) noexcept = default;
Bpe::~Bpe() = default;

/// Where no merge crosses the border before a space mark, the words between marks can be merged one by one.
bool Bpe::wordsEndAtMarks() const
{
    const auto crosses = [&](TokenId result) {
        const std::string_view token = m_vocabulary.tokenOf(result).value_or("");
        return endOfMarkedWord(token, 0) < token.size();
    };
    bool separate = m_vocabulary.idOf(spaceMark) && m_options.continuingPrefix.empty() && m_options.endSuffix.empty();
    m_merges.forEachResult([&](TokenId result) { separate = separate && !crosses(result); });
    return separate;
}

void Bpe::encode(std::string_view word, std::vector<WordToken>& tokens) const
{
    if (m_options.ignoreMerges) {
        if (const auto id = m_vocabulary.idOf(word)) {
            tokens.push_back({ *id, 0, word.size() });
            return;
        }
    }
    for (size_t begin = 0, end = 0; begin < word.size(); begin = end) {
        end = m_cutsAtMarks ? endOfMarkedWord(word, begin) : word.size();
        encodeWord(word.substr(begin, end - begin), begin, tokens);
    }
}

void Bpe::encodeWord(std::string_view word, size_t offset, std::vector<WordToken>& tokens) const
{
    const size_t first = tokens.size();
    const bool cached = word.size() <= Cache::longestWord;
    if (!cached || !m_cache->find(word, tokens)) {
        std::vector<WordToken> own = charactersOf(word);
        MergeList(own, m_merges).run();
        if (cached) {
            m_cache->add(word, own);
        }
        tokens.insert(tokens.end(), own.begin(), own.end());
    }
    std::for_each(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end(), [&](WordToken& token) {
        token.begin += offset;
        token.end += offset;
    });
}

/// As in the original, an unknown token is held back until a character of the vocabulary (or the end) follows, even
/// behind byte tokens that stand after it in the text.
std::vector<WordToken> Bpe::charactersOf(std::string_view word) const
{
    std::vector<WordToken> tokens;
    tokens.reserve(word.size());
    std::optional<WordToken> unknown;
    std::string decorated;
    for (size_t begin = 0, end = 0; begin < word.size(); begin = end) {
        end = std::min(word.size(), begin + utf8Length(word[begin]));
        std::string_view spelling = word.substr(begin, end - begin);
        const std::string_view prefix = begin > 0 ? std::string_view(m_options.continuingPrefix) : "";
        const std::string_view suffix = end == word.size() ? std::string_view(m_options.endSuffix) : "";
        if (!prefix.empty() || !suffix.empty()) {
            spelling = decorated.assign(prefix).append(spelling).append(suffix);
        }
        if (const auto id = m_vocabulary.idOf(spelling)) {
            if (unknown) {
                tokens.push_back(*std::exchange(unknown, std::nullopt));
            }
            tokens.push_back({ *id, begin, end });
        } else if (!appendBytes(spelling, begin, end, tokens) && m_unknown) {
            if (unknown && m_options.fuseUnknown) {
                unknown->end = end;
                continue;
            }
            if (unknown) {
                tokens.push_back(*unknown);
            }
            unknown = { *m_unknown, begin, end };
        }
    }
    if (unknown) {
        tokens.push_back(*unknown);
    }
    return tokens;
}

bool Bpe::appendBytes(std::string_view spelling, size_t begin, size_t end, std::vector<WordToken>& tokens) const
{
    const auto tokenOf = [&](char byte) { return m_byteTokens[static_cast<unsigned char>(byte)]; };
    if (m_byteTokens.empty() || !std::all_of(spelling.begin(), spelling.end(), tokenOf)) {
        return false;
    }
    for (const char byte : spelling) {
        tokens.push_back({ *tokenOf(byte), begin, end });
    }
    return true;
}

} // namespace tunebench
