#include "core/model/gguf.h"
#include "core/text/tokenizer/definition_parts.h"
#include "core/text/tokenizer/sentencepiece_merges.h"
#include "core/text/tokenizer/tokenizer_implementation.h"
#include "core/text/utf8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tunebench {

using nlohmann::json;

namespace {

/// llama.cpp's `llama_token_type`.
enum class TokenType : int64_t { normal = 1, unknown = 2, control = 3, userDefined = 4, unused = 5, byte = 6 };

struct PreTokenizerRecipe {
    std::string_view name; ///< `tokenizer.ggml.pre`
    std::string_view json; ///< the same in tokenizer.json
    std::string_view normalizer = "null";
    bool ignoreMerges = false;
    bool addsBos = false; ///< when `tokenizer.ggml.add_bos_token` does not say
};

constexpr std::string_view smollmJson = R"json({"type": "Sequence", "pretokenizers": [
    {"type": "Digits", "individual_digits": true},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}]})json";

constexpr std::string_view gpt2Json = R"json({"type": "ByteLevel", "add_prefix_space": false, "use_regex": true})json";

constexpr std::string_view llama3Json = R"json({"type": "Sequence", "pretokenizers": [
    {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})json";

constexpr std::string_view qwen2Json = R"json({"type": "Sequence", "pretokenizers": [
    {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})json";

constexpr std::string_view tekkenJson = R"json({"type": "Sequence", "pretokenizers": [
    {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})json";

constexpr std::array recipes = {
    PreTokenizerRecipe { "smollm", smollmJson },
    PreTokenizerRecipe { "gpt-2", gpt2Json },
    PreTokenizerRecipe { "llama-bpe", llama3Json, "null", true, true },
    PreTokenizerRecipe { "qwen2", qwen2Json, R"({"type": "NFC"})" },
    PreTokenizerRecipe { "tekken", tekkenJson, "null", true, true },
};

tl::unexpected<Error> wrong(const std::string& key, const std::string& reason)
{
    return failure("\"" + key + "\" " + reason);
}

/// The vocabulary with the type of each token, checked against each other.
struct TokenTable {
    const std::vector<std::string>* tokens = nullptr;
    std::vector<TokenType> types;
};

Result<TokenTable> readTokens(const GgufFile& file)
{
    TokenTable table;
    table.tokens = file.texts("tokenizer.ggml.tokens");
    if (table.tokens == nullptr || table.tokens->empty()) {
        return wrong("tokenizer.ggml.tokens", "is missing or empty: the file has no tokenizer");
    }
    if (table.tokens->size() > static_cast<size_t>(Vocabulary::highestId)) {
        return wrong("tokenizer.ggml.tokens", "has more tokens than any vocabulary");
    }
    table.types.assign(table.tokens->size(), TokenType::normal);
    if (const std::vector<int64_t>* types = file.integers("tokenizer.ggml.token_type")) {
        if (types->size() != table.tokens->size()) {
            return wrong("tokenizer.ggml.token_type", "does not have one entry for each token");
        }
        std::transform(types->begin(), types->end(), table.types.begin(),
            [](int64_t type) { return static_cast<TokenType>(type); });
    }
    if (!std::all_of(table.tokens->begin(), table.tokens->end(), isValidUtf8)) {
        return wrong("tokenizer.ggml.tokens", "holds a token that is not valid UTF-8");
    }
    return table;
}

Result<void> fillVocabulary(Vocabulary& vocabulary, const TokenTable& table)
{
    for (size_t id = 0; id < table.tokens->size(); ++id) {
        Result<void> added = vocabulary.add((*table.tokens)[id], static_cast<int64_t>(id));
        if (!added) {
            return added;
        }
    }
    return {};
}

/// llama.cpp recognises these in the text as they are.
json addedTokens(const TokenTable& table)
{
    json list = json::array();
    for (size_t id = 0; id < table.tokens->size(); ++id) {
        const TokenType type = table.types[id];
        if (type == TokenType::control || type == TokenType::userDefined || type == TokenType::unknown) {
            const bool special = type != TokenType::userDefined;
            list.push_back(rawAddedToken((*table.tokens)[id], special));
        }
    }
    return list;
}

/// The token that a `..._token_id` names.
std::optional<std::string> tokenNamed(const GgufFile& file, const TokenTable& table, const std::string& key)
{
    const std::optional<int64_t> id = file.integer("tokenizer.ggml." + key);
    if (!id || *id < 0 || static_cast<size_t>(*id) >= table.tokens->size()) {
        return std::nullopt;
    }
    return (*table.tokens)[static_cast<size_t>(*id)];
}

/// BOS before and EOS behind the text, as `add_bos_token` and `add_eos_token` say.
json postProcessor(const GgufFile& file, const TokenTable& table, bool addsBosByDefault)
{
    const auto named = [&](const char* key) -> std::optional<NamedToken> {
        const std::optional<std::string> token = tokenNamed(file, table, key);
        return token ? std::optional(
                   NamedToken { *token, static_cast<TokenId>(*file.integer(std::string("tokenizer.ggml.") + key)) })
                     : std::nullopt;
    };
    const bool addsBos = file.flag("tokenizer.ggml.add_bos_token").value_or(addsBosByDefault);
    const bool addsEos = file.flag("tokenizer.ggml.add_eos_token").value_or(false);
    return bosEosTemplate(
        addsBos ? named("bos_token_id") : std::nullopt, addsEos ? named("eos_token_id") : std::nullopt);
}

Result<MergeTexts> readMerges(const GgufFile& file)
{
    const std::vector<std::string>* lines = file.texts("tokenizer.ggml.merges");
    if (lines == nullptr) {
        return wrong("tokenizer.ggml.merges", "is missing");
    }
    MergeTexts merges;
    for (const std::string_view line : *lines) {
        const size_t space = line.find(' ', 1);
        if (space == std::string_view::npos || space + 1 == line.size()) {
            return wrong(
                "tokenizer.ggml.merges", "holds an entry that is not two tokens: \"" + std::string(line) + "\"");
        }
        merges.add(line.substr(0, space), line.substr(space + 1));
    }
    return merges;
}

/// `tokenizer.ggml.model` gpt2: a byte-level vocabulary with merges; `.pre` names how words are cut.
Result<TokenizerDefinition> byteLevelDefinition(const GgufFile& file, const TokenTable& table)
{
    const std::string name = file.text("tokenizer.ggml.pre").value_or("default");
    const auto* recipe
        = std::find_if(recipes.begin(), recipes.end(), [&](const auto& known) { return known.name == name; });
    if (recipe == recipes.end()) {
        return wrong("tokenizer.ggml.pre",
            "is \"" + name
                + "\", which is not known; Tunebench knows smollm, llama-bpe, qwen2, tekken and gpt-2. Use the model's "
                  "Hugging Face folder, whose tokenizer.json says how words are cut");
    }
    Result<MergeTexts> merges = readMerges(file);
    if (!merges) {
        return tl::unexpected(merges.error());
    }
    TokenizerDefinition definition;
    definition.merges = std::move(*merges);
    definition.document = { { "normalizer", json::parse(recipe->normalizer) },
        { "pre_tokenizer", json::parse(recipe->json) }, { "decoder", { { "type", "ByteLevel" } } },
        { "post_processor", postProcessor(file, table, recipe->addsBos) }, { "added_tokens", addedTokens(table) },
        { "model", { { "type", "BPE" }, { "ignore_merges", recipe->ignoreMerges } } } };
    return definition;
}

/// `tokenizer.ggml.model` llama: SentencePiece's BPE; the pieces' scores stand for the merges.
TokenizerDefinition sentencePieceDefinition(const GgufFile& file, const TokenTable& table)
{
    const bool prefix = file.flag("tokenizer.ggml.add_space_prefix").value_or(true);
    json normalizers = json::array({ replaceComponent(" ", spaceMark) });
    if (prefix) {
        normalizers.insert(normalizers.begin(), json { { "type", "Prepend" }, { "prepend", spaceMark } });
    }
    TokenizerDefinition definition;
    definition.document = { { "normalizer", { { "type", "Sequence" }, { "normalizers", normalizers } } },
        { "decoder", sentencePieceDecoder(prefix) }, { "post_processor", postProcessor(file, table, true) },
        { "added_tokens", addedTokens(table) },
        { "model", { { "type", "BPE" }, { "byte_fallback", true }, { "fuse_unk", true } } } };
    if (const auto unknown = tokenNamed(file, table, "unknown_token_id")) {
        definition.document["model"]["unk_token"] = *unknown;
    }
    return definition;
}

Result<std::vector<double>> readScores(const GgufFile& file, const TokenTable& table)
{
    const std::vector<double>* scores = file.numbers("tokenizer.ggml.scores");
    if (scores == nullptr || scores->size() != table.tokens->size()) {
        return wrong("tokenizer.ggml.scores", "does not have one entry for each token");
    }
    if (!std::all_of(scores->begin(), scores->end(), [](double score) { return std::isfinite(score); })) {
        return wrong("tokenizer.ggml.scores", "holds a score that is not a number");
    }
    std::set<double> distinct;
    for (size_t id = 0; id < scores->size(); ++id) {
        if (table.types[id] == TokenType::normal) {
            distinct.insert((*scores)[id]);
        }
    }
    if (distinct.size() < 2) {
        return wrong("tokenizer.ggml.scores",
            "are all the same, so the file does not say how tokens are made. Use the model's Hugging Face folder");
    }
    return *scores;
}

Result<TokenizerDefinition> definitionFromGguf(const GgufFile& file)
{
    const std::string model = file.text("tokenizer.ggml.model").value_or("");
    if (model != "gpt2" && model != "llama") {
        return wrong("tokenizer.ggml.model",
            (model.empty() ? "is missing" : "is \"" + model + "\", which is not known")
                + "; Tunebench knows gpt2 and llama");
    }
    Result<TokenTable> table = readTokens(file);
    if (!table) {
        return tl::unexpected(table.error());
    }
    Vocabulary vocabulary;
    if (const Result<void> filled = fillVocabulary(vocabulary, *table); !filled) {
        return tl::unexpected(filled.error());
    }
    Result<TokenizerDefinition> definition
        = model == "gpt2" ? byteLevelDefinition(file, *table) : sentencePieceDefinition(file, *table);
    if (!definition) {
        return tl::unexpected(definition.error());
    }
    if (model == "llama") {
        const Result<std::vector<double>> scores = readScores(file, *table);
        if (!scores) {
            return tl::unexpected(scores.error());
        }
        definition->mergeTable = sentencePieceMerges(vocabulary, *scores);
    }
    definition->vocabulary = std::move(vocabulary);
    return definition;
}

} // namespace

Result<Tokenizer> Tokenizer::fromGguf(const GgufFile& file)
{
    return fromDefinition(definitionFromGguf(file), file.path().string());
}

} // namespace tunebench
