#include "core/text/tokenizer/byte_level.h"
#include "core/text/tokenizer/component_json.h"
#include "core/text/tokenizer/definition_parts.h"
#include "core/text/tokenizer/sentencepiece_merges.h"
#include "core/text/tokenizer/tokenizer_implementation.h"

#include <array>
#include <numeric>

namespace tunebench {

using nlohmann::json;

namespace {

/// The special tokens of files that do not list their own (mistral-common's DEPRECATED_SPECIAL_TOKENS).
constexpr std::array earlySpecialTokens = { "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]",
    "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]" };

/// The bytes of a base64 text with padding, or nothing where it is not well-formed.
std::optional<std::string> fromBase64(std::string_view text)
{
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (text.ends_with('=')) {
        text.remove_suffix(1);
    }
    std::string bytes;
    uint32_t bits = 0;
    unsigned count = 0;
    for (const char character : text) {
        const size_t digit = digits.find(character);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        bits = bits << 6U | static_cast<uint32_t>(digit);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<char>(bits >> count & 0xFFU));
        }
    }
    return bytes;
}

tl::unexpected<Error> wrong(const std::string& what)
{
    return failure(what + "; the file may be damaged, or newer than Tunebench");
}

/// The config's numbers: how many ids there are, and how many of them come first and are special.
struct Sizes {
    size_t vocabulary, special;
};

Result<Sizes> sizesOf(const ComponentReader& config)
{
    const Result<size_t> vocabulary = config.count("default_vocab_size");
    const Result<size_t> special = config.count("default_num_special_tokens");
    if (!vocabulary || !special) {
        return tl::unexpected(!vocabulary ? vocabulary.error() : special.error());
    }
    if (*special > *vocabulary || *vocabulary > static_cast<size_t>(Vocabulary::highestId)) {
        return wrong("\"config\" has a vocabulary size that does not fit");
    }
    return Sizes { *vocabulary, *special };
}

Result<std::vector<std::string>> specialTokens(const json& document, size_t count)
{
    std::vector<std::string> tokens(count);
    for (size_t id = 0; id < count; ++id) {
        tokens[id] = "<SPECIAL_" + std::to_string(id) + ">";
    }
    const auto listed = document.find("special_tokens");
    if (listed == document.end() || listed->is_null()) {
        std::copy_n(earlySpecialTokens.begin(), std::min(count, earlySpecialTokens.size()), tokens.begin());
        return tokens;
    }
    for (const json& entry : *listed) {
        const bool typed = entry.is_object() && entry.contains("rank") && entry["rank"].is_number_unsigned()
            && entry.contains("token_str") && entry["token_str"].is_string();
        if (!typed || entry["rank"].get<uint64_t>() >= count) {
            return wrong("\"special_tokens\" must be a list of {rank, token_str}");
        }
        tokens[entry["rank"].get<size_t>()] = entry["token_str"].get<std::string>();
    }
    return tokens;
}

/// Ids are ranks behind the special tokens; what is past `default_vocab_size` does not count.
Result<void> takeTokens(const json& document, const Sizes& sizes, Vocabulary& vocabulary)
{
    const auto entries = document.find("vocab");
    if (entries == document.end() || !entries->is_array()) {
        return wrong("\"vocab\" is missing or no list");
    }
    for (size_t rank = 0; rank < entries->size() && rank + sizes.special < sizes.vocabulary; ++rank) {
        const json& entry = (*entries)[rank];
        const bool typed = entry.is_object() && entry.contains("token_bytes") && entry["token_bytes"].is_string();
        const auto bytes = typed ? fromBase64(entry["token_bytes"].get_ref<const std::string&>()) : std::nullopt;
        if (!bytes || bytes->empty()) {
            return wrong("\"vocab\" must be a list of {rank, token_bytes} with base64 bytes");
        }
        std::string spelled;
        for (const char byte : *bytes) {
            spelled += byteLevelCharacter(static_cast<unsigned char>(byte));
        }
        if (Result<void> added = vocabulary.add(spelled, static_cast<int64_t>(rank + sizes.special)); !added) {
            return added;
        }
    }
    return {};
}

/// Any two neighbours whose bytes together are a token become it, the lowest rank first, as tiktoken does it.
MergeTable mergesByRank(const Vocabulary& vocabulary, size_t specialTokens)
{
    std::vector<double> scores(vocabulary.size());
    std::iota(scores.rbegin(), scores.rend(), 0.0);
    std::fill_n(scores.begin(), std::min(specialTokens, scores.size()), -std::numeric_limits<double>::infinity());
    return sentencePieceMerges(vocabulary, scores);
}

json documentOf(const std::string& pattern, const std::vector<std::string>& special)
{
    json added = json::array();
    for (const std::string& token : special) {
        added.push_back(rawAddedToken(token, true));
    }
    const auto bos = special.size() > 1 ? std::optional(NamedToken { special[1], 1 }) : std::nullopt;
    return { { "model", { { "type", "BPE" }, { "ignore_merges", true } } }, { "decoder", { { "type", "ByteLevel" } } },
        { "pre_tokenizer",
            { { "type", "Sequence" },
                { "pretokenizers",
                    { { { "type", "Split" }, { "pattern", { { "Regex", pattern } } }, { "behavior", "Isolated" } },
                        { { "type", "ByteLevel" }, { "add_prefix_space", false }, { "use_regex", false } } } } } },
        { "post_processor", bosEosTemplate(bos, std::nullopt) }, { "added_tokens", std::move(added) } };
}

Result<TokenizerDefinition> readTekken(std::string_view text)
{
    const json document = json::parse(text.begin(), text.end(), nullptr, false);
    if (!document.is_object() || !document.contains("config") || !document["config"].is_object()) {
        return failure("is not a tekken.json: it is no JSON object with a \"config\"");
    }
    json typed = document["config"];
    typed["type"] = "config";
    const Result<ComponentReader> config = ComponentReader::open(typed, "tekken");
    const Result<Sizes> sizes = config.and_then(sizesOf);
    const Result<std::string> pattern
        = config.and_then([](const ComponentReader& read) { return read.text("pattern"); });
    if (!sizes || !pattern) {
        return tl::unexpected(!sizes ? sizes.error() : pattern.error());
    }
    const Result<std::vector<std::string>> special = specialTokens(document, sizes->special);
    if (!special) {
        return tl::unexpected(special.error());
    }
    TokenizerDefinition definition;
    for (size_t id = 0; id < special->size(); ++id) {
        if (const auto added = definition.vocabulary.add((*special)[id], static_cast<int64_t>(id)); !added) {
            return tl::unexpected(added.error());
        }
    }
    if (const Result<void> taken = takeTokens(document, *sizes, definition.vocabulary); !taken) {
        return tl::unexpected(taken.error());
    }
    definition.mergeTable = mergesByRank(definition.vocabulary, sizes->special);
    definition.document = documentOf(*pattern, *special);
    return definition;
}

} // namespace

Result<Tokenizer> Tokenizer::fromTekken(std::string_view json, std::string_view where)
{
    return fromDefinition(readTekken(json), where);
}

} // namespace tunebench
