#include "core/text/bpe.h"

#include "core/text/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <queue>
#include <unordered_map>

namespace tunebench {

namespace {

uint64_t pairKey(TokenId left, TokenId right)
{
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32U | static_cast<uint32_t>(right);
}

std::string byteTokenName(unsigned byte)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    return { '<', '0', 'x', digits[byte >> 4U], digits[byte & 15U], '>' };
}

/// A merge that was possible when it was noted down.
struct Candidate {
    MergeTable::Merge merge;
    size_t left;

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
        for (size_t index = 0; index < tokens.size(); ++index) {
            m_links[index] = { index - 1, index + 1 };
        }
        std::vector<Candidate> candidates;
        candidates.reserve(tokens.size());
        for (size_t index = 0; index + 1 < tokens.size(); ++index) {
            if (const MergeTable::Merge* merge = merges.find(tokens[index].id, tokens[index + 1].id)) {
                candidates.push_back({ *merge, index });
            }
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
        size_t previous, next;
    };
    static constexpr TokenId gone = -1;

    /// As in the original, only the result is compared: after a neighbour changed, another pair with the same result
    /// may take the place, at the rank that was noted down.
    bool stillPossible(const Candidate& candidate) const
    {
        const WordToken& left = m_tokens[candidate.left];
        const size_t next = m_links[candidate.left].next;
        if (left.id == gone || next >= m_tokens.size()) {
            return false;
        }
        const MergeTable::Merge* merge = m_merges.find(left.id, m_tokens[next].id);
        return merge != nullptr && merge->result == candidate.merge.result;
    }

    void apply(const Candidate& candidate)
    {
        const size_t left = candidate.left;
        const size_t right = m_links[left].next;
        const size_t after = m_links[right].next;
        m_tokens[left] = { candidate.merge.result, m_tokens[left].begin, m_tokens[right].end };
        m_tokens[right].id = gone;
        m_links[left].next = after;
        if (after < m_tokens.size()) {
            m_links[after].previous = left;
            note(left, after);
        }
        if (const size_t previous = m_links[left].previous; previous < m_tokens.size()) {
            note(previous, left);
        }
    }

    void note(size_t left, size_t right)
    {
        if (const MergeTable::Merge* merge = m_merges.find(m_tokens[left].id, m_tokens[right].id)) {
            m_queue.push({ *merge, left });
        }
    }

    std::vector<WordToken>& m_tokens;
    std::vector<Links> m_links; ///< an index past the end: nothing there
    const MergeTable& m_merges;
    std::priority_queue<Candidate> m_queue;
};

} // namespace

MergeTable::MergeTable(size_t merges)
    : m_slots(std::bit_ceil(std::max<size_t>(merges * 2, 2)))
{
}

size_t MergeTable::slotOf(uint64_t pair) const
{
    const uint64_t mixed = (pair ^ pair >> 29U) * 0x9E3779B97F4A7C15ULL;
    size_t slot = (mixed >> 32U) & (m_slots.size() - 1);
    while (m_slots[slot].pair != emptySlot && m_slots[slot].pair != pair) {
        slot = (slot + 1) & (m_slots.size() - 1);
    }
    return slot;
}

void MergeTable::add(TokenId left, TokenId right, Merge merge)
{
    const uint64_t pair = pairKey(left, right);
    m_slots[slotOf(pair)] = { pair, merge };
}

const MergeTable::Merge* MergeTable::find(TokenId left, TokenId right) const
{
    const Slot& slot = m_slots[slotOf(pairKey(left, right))];
    return slot.pair == emptySlot ? nullptr : &slot.merge;
}

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

Result<Bpe> Bpe::create(Vocabulary vocabulary, const std::vector<Pair>& merges, BpeOptions options)
{
    MergeTable table(merges.size());
    std::string joined;
    for (size_t rank = 0; rank < merges.size(); ++rank) {
        const auto& [left, right] = merges[rank];
        const bool prefixed = right.size() >= options.continuingPrefix.size();
        joined.assign(left).append(right, prefixed ? options.continuingPrefix.size() : 0);
        const auto leftId = vocabulary.idOf(left);
        const auto rightId = vocabulary.idOf(right);
        const auto result = vocabulary.idOf(joined);
        if (!leftId || !rightId || !result) {
            const std::string& missing = !leftId ? left : !rightId ? right : joined;
            return failure("merge " + std::to_string(rank + 1) + " (\"" + left + "\", \"" + right
                + "\") needs the token \"" + missing + "\", which is not in the vocabulary");
        }
        table.add(*leftId, *rightId, { static_cast<uint32_t>(rank), *result });
    }
    return Bpe(std::move(vocabulary), std::move(table), std::move(options));
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
    for (unsigned byte = 0; m_options.byteFallback && byte < 256; ++byte) {
        m_byteTokens.push_back(m_vocabulary.idOf(byteTokenName(byte)));
    }
}

Bpe::Bpe(Bpe&&) noexcept = default;
Bpe& Bpe::operator=(Bpe&&) noexcept = default;
Bpe::~Bpe() = default;

void Bpe::encode(std::string_view word, std::vector<WordToken>& tokens) const
{
    if (m_options.ignoreMerges) {
        if (const auto id = m_vocabulary.idOf(word)) {
            tokens.push_back({ *id, 0, word.size() });
            return;
        }
    }
    const bool cached = word.size() <= Cache::longestWord;
    if (cached && m_cache->find(word, tokens)) {
        return;
    }
    std::vector<WordToken> own = charactersOf(word);
    MergeList(own, m_merges).run();
    if (cached) {
        m_cache->add(word, own);
    }
    tokens.insert(tokens.end(), own.begin(), own.end());
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
