#include "core/text/text_model.h"

#include "core/base/files.h"
#include "core/model/gguf.h"
#include "core/text/model_templates.h"
#include "core/text/optional_files.h"

#include <algorithm>
#include <array>

namespace tunebench {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// transformers' SPECIAL_TOKENS_ATTRIBUTES: what it passes to a template by these names.
constexpr std::array specialTokenNames
    = { "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token" };

/// A token is written as a string or as an object with its `content`.
std::optional<std::string> tokenText(const ordered_json& value)
{
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_object() && value.contains("content") && value.at("content").is_string()) {
        return value.at("content").get<std::string>();
    }
    return std::nullopt;
}

void takeTokens(const ordered_json& from, ordered_json& variables)
{
    for (const char* name : specialTokenNames) {
        if (!from.contains(name)) {
            continue;
        }
        if (const std::optional<std::string> text = tokenText(from.at(name))) {
            variables[name] = *text;
        } else if (from.at(name).is_null()) {
            variables.erase(name);
        }
    }
}

/// As transformers reads them: special_tokens_map.json counts only (and then first) where tokenizer_config.json does
/// not list `added_tokens_decoder`; `extra_special_tokens` may name more of them.
Result<ordered_json> readTemplateVariables(const fs::path& folder, const ordered_json& config)
{
    ordered_json variables = ordered_json::object();
    takeTokens(config, variables);
    if (!config.contains("added_tokens_decoder")) {
        Result<ordered_json> map = readOptionalObject(folder / "special_tokens_map.json");
        if (!map) {
            return map;
        }
        takeTokens(*map, variables);
    }
    if (const auto extra = config.find("extra_special_tokens"); extra != config.end() && extra->is_object()) {
        for (const auto& [name, value] : extra->items()) {
            if (const std::optional<std::string> text = tokenText(value)) {
                variables[name] = *text;
            }
        }
    }
    return variables;
}

/// The id of a named token, else what generation_config.json gives (a number, or the first of a list).
std::optional<TokenId> specialId(
    const Tokenizer& tokenizer, const ordered_json& variables, const ordered_json& generation, const std::string& name)
{
    if (variables.contains(name + "_token")) {
        return tokenizer.idOf(variables.at(name + "_token").get<std::string>());
    }
    auto id = generation.find(name + "_token_id");
    if (id == generation.end()) {
        return std::nullopt;
    }
    const ordered_json& value = id->is_array() && !id->empty() ? id->front() : *id;
    const bool known = value.is_number_unsigned() && value.get<uint64_t>() < tokenizer.size();
    return known ? std::optional(value.get<TokenId>()) : std::nullopt;
}

void addEnd(std::vector<TokenId>& ends, const std::optional<TokenId>& end)
{
    if (end && std::find(ends.begin(), ends.end(), *end) == ends.end()) {
        ends.push_back(*end);
    }
}

/// The tokenizer's end of text and those of generation_config.json, a number or a list; config.json has them in older
/// models.
std::vector<TokenId> endsOf(const Tokenizer& tokenizer, const std::optional<TokenId>& eos,
    const ordered_json& generation, const ordered_json& config)
{
    std::vector<TokenId> ends;
    addEnd(ends, eos);
    const ordered_json& named = generation.contains("eos_token_id") ? generation : config;
    if (!named.contains("eos_token_id")) {
        return ends;
    }
    const ordered_json& value = named.at("eos_token_id");
    for (const ordered_json& id : value.is_array() ? value : ordered_json::array({ value })) {
        if (id.is_number_unsigned() && id.get<uint64_t>() < tokenizer.size()) {
            addEnd(ends, id.get<TokenId>());
        }
    }
    return ends;
}

std::optional<bool> flagIn(const ordered_json& config, const char* key)
{
    const auto value = config.find(key);
    return value != config.end() && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

/// As transformers reads them: without `legacy`, Llama's own class puts a space in front of the first word only.
SentencePieceOptions sentencePieceOptions(const ordered_json& config)
{
    const std::string type = config.contains("tokenizer_class") && config.at("tokenizer_class").is_string()
        ? config.at("tokenizer_class").get<std::string>()
        : "";
    SentencePieceOptions options;
    options.addBos = flagIn(config, "add_bos_token");
    options.addEos = flagIn(config, "add_eos_token").value_or(false);
    options.prefixOnlyAtStart = !flagIn(config, "legacy").value_or(!type.starts_with("LlamaTokenizer"));
    return options;
}

bool isTekken(const fs::path& file)
{
    return file.extension() == ".json" && file.filename().string().find("tekken") != std::string::npos;
}

Result<Tokenizer> openTokenizer(const fs::path& file, const ordered_json& config)
{
    return readFile(file).and_then([&](const std::string& content) {
        return file.extension() == ".model"
            ? Tokenizer::fromSentencePiece(content, file.string(), sentencePieceOptions(config))
            : isTekken(file) ? Tokenizer::fromTekken(content, file.string())
                             : Tokenizer::fromJson(content, file.string());
    });
}

/// Files that are not JSON of transformers' kind name these tokens themselves.
void takeOwnTokens(const Tokenizer& tokenizer, ordered_json& variables)
{
    for (const auto& [name, content] : { std::pair("bos_token", "<s>"), { "eos_token", "</s>" },
             { "unk_token", "<unk>" }, { "bos_token", "<bos>" }, { "eos_token", "<eos>" }, { "pad_token", "<pad>" } }) {
        if (!variables.contains(name) && tokenizer.idOf(content)) {
            variables[name] = content;
        }
    }
}

Result<TextModel> openFolder(const fs::path& folder, const fs::path& tokenizerFile)
{
    const Result<ordered_json> config = readOptionalObject(folder / "tokenizer_config.json");
    const Result<ordered_json> generation = readOptionalObject(folder / "generation_config.json");
    if (!config || !generation) {
        return tl::unexpected(!config ? config.error() : generation.error());
    }
    Result<Tokenizer> tokenizer = openTokenizer(tokenizerFile, *config);
    if (!tokenizer) {
        return tl::unexpected(tokenizer.error());
    }
    Result<ordered_json> variables = readTemplateVariables(folder, *config);
    Result<Templates> templates = readTemplates(folder, *config);
    if (!variables || !templates) {
        return tl::unexpected(!variables ? variables.error() : templates.error());
    }
    if (tokenizerFile.extension() == ".model" || isTekken(tokenizerFile)) {
        takeOwnTokens(*tokenizer, *variables);
    }
    const auto bos = specialId(*tokenizer, *variables, *generation, "bos");
    const auto eos = specialId(*tokenizer, *variables, *generation, "eos");
    const auto pad = specialId(*tokenizer, *variables, *generation, "pad");
    const Result<ordered_json> model = readOptionalObject(folder / "config.json"); // a damaged one is others' concern
    auto ends = endsOf(*tokenizer, eos, *generation, model.value_or(ordered_json::object()));
    return TextModel { std::move(*tokenizer), std::move(templates->chat), std::move(*variables), bos, eos, pad,
        std::move(ends), std::move(templates->tool) };
}

/// Older GGUF files name no end of turn; llama.cpp (src/llama-vocab.cpp) knows it by its text.
constexpr std::array endsByName { "<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|eom_id|>",
    "<EOT>" };

Result<TextModel> openGguf(const fs::path& path)
{
    const Result<GgufFile> file = GgufFile::openMetadata(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    Result<Tokenizer> tokenizer = Tokenizer::fromGguf(*file);
    if (!tokenizer) {
        return tl::unexpected(tokenizer.error());
    }
    TemplateSources sources;
    for (const auto& [name, key] :
        { std::pair("default", "tokenizer.chat_template"), { toolTemplateName, "tokenizer.chat_template.tool_use" } }) {
        if (std::optional<std::string> source = file->text(key)) {
            sources[name] = std::move(*source);
        }
    }
    Result<Templates> templates = parseTemplates(sources, path.string() + ": tokenizer.chat_template");
    if (!templates) {
        return tl::unexpected(templates.error());
    }
    ordered_json variables = ordered_json::object();
    const auto take = [&](const std::string& variable, const std::string& key) -> std::optional<TokenId> {
        const std::optional<int64_t> id = file->integer("tokenizer.ggml." + key);
        if (!id || *id < 0 || static_cast<uint64_t>(*id) >= tokenizer->size()) {
            return std::nullopt;
        }
        const auto token = static_cast<TokenId>(*id);
        variables[variable] = tokenizer->tokenOf(token).value_or("");
        return token;
    };
    const auto bos = take("bos_token", "bos_token_id");
    const auto eos = take("eos_token", "eos_token_id");
    take("unk_token", "unknown_token_id");
    const auto pad = take("pad_token", "padding_token_id");
    std::vector<TokenId> ends;
    addEnd(ends, eos);
    for (const char* key : { "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id" }) {
        const std::optional<int64_t> id = file->integer(key);
        if (id && *id >= 0 && static_cast<uint64_t>(*id) < tokenizer->size()) {
            addEnd(ends, static_cast<TokenId>(*id));
        }
    }
    for (const char* name : endsByName) {
        addEnd(ends, tokenizer->idOf(name));
    }
    return TextModel { std::move(*tokenizer), std::move(templates->chat), std::move(variables), bos, eos, pad,
        std::move(ends), std::move(templates->tool) };
}

tl::unexpected<Error> noTokenizer(const fs::path& folder)
{
    for (const char* other : { "spiece.model", "vocab.json" }) {
        if (isFile(folder / other)) {
            return failure(folder.string() + " has " + other
                + " but no tokenizer.json, which Tunebench needs. Get it from a newer copy of the model, or write it "
                  "with transformers' save_pretrained.");
        }
    }
    return failure(folder.string()
        + " has no tokenizer.json, tokenizer.model or tekken.json. Choose a model folder that has one, or a .gguf "
          "file.");
}

Result<TextModel> openModelFolder(const fs::path& folder)
{
    for (const char* name : { "tokenizer.json", "tokenizer.model", "tekken.json" }) {
        if (isFile(folder / name)) {
            return openFolder(folder, folder / name);
        }
    }
    return noTokenizer(folder);
}

} // namespace

const ChatTemplate* TextModel::templateFor(bool hasTools) const
{
    const auto& wanted = hasTools && toolTemplate ? toolTemplate : chatTemplate;
    return wanted ? &*wanted : nullptr;
}

Result<TextModel> openTextModel(const fs::path& model)
{
    std::error_code ignored;
    if (fs::is_directory(model, ignored)) {
        return openModelFolder(model);
    }
    if (!fs::exists(model, ignored)) {
        return failure(model.string() + " does not exist. Give a model folder, a tokenizer.json or a .gguf file");
    }
    const std::string extension = model.extension().string();
    if (extension == ".gguf") {
        return openGguf(model);
    }
    if (extension == ".json" || extension == ".model") {
        return openFolder(model.parent_path(), model);
    }
    return failure(model.string()
        + " is neither a model folder, nor a tokenizer.json, tokenizer.model or tekken.json, nor a .gguf file");
}

} // namespace tunebench
