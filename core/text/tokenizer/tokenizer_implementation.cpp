#include "core/text/tokenizer/tokenizer_implementation.h"

#include "core/text/tokenizer/component_json.h"

namespace tunebench {

using nlohmann::json;

namespace {

const json& member(const json& object, const char* key)
{
    static const json nothing;
    const auto entry = object.find(key);
    return entry == object.end() ? nothing : *entry;
}

/// Files from before the types were written say which model it is by what it holds.
std::string modelType(const json& model, const TokenizerDefinition& definition)
{
    const json& type = member(model, "type");
    if (type.is_string()) {
        return type.get<std::string>();
    }
    return definition.merges.empty() ? "without a type" : "BPE";
}

Result<BpeOptions> bpeOptions(const json& model)
{
    json typed = model;
    typed["type"] = "BPE";
    const Result<ComponentReader> reader = ComponentReader::open(typed, "model");
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    const json& dropout = reader->member("dropout");
    if (!dropout.is_null() && dropout != 0) {
        return reader->wrong("dropout", "null: it makes the tokens random");
    }
    const Result<std::string> unknown = reader->text("unk_token", "");
    const Result<std::string> prefix = reader->text("continuing_subword_prefix", "");
    const Result<std::string> suffix = reader->text("end_of_word_suffix", "");
    for (const Result<std::string>* text : { &unknown, &prefix, &suffix }) {
        if (!*text) {
            return tl::unexpected(text->error());
        }
    }
    const Result<bool> byteFallback = reader->flag("byte_fallback", false);
    const Result<bool> fuseUnknown = reader->flag("fuse_unk", false);
    const Result<bool> ignoreMerges = reader->flag("ignore_merges", false);
    for (const Result<bool>* flag : { &byteFallback, &fuseUnknown, &ignoreMerges }) {
        if (!*flag) {
            return tl::unexpected(flag->error());
        }
    }
    BpeOptions options { std::nullopt, *prefix, *suffix, *byteFallback, *fuseUnknown, *ignoreMerges };
    if (reader->member("unk_token").is_string()) {
        options.unknownToken = *unknown;
    }
    return options;
}

Result<Bpe> modelFromDefinition(TokenizerDefinition& definition)
{
    const json& model = member(definition.document, "model");
    if (!model.is_object()) {
        return failure("has no \"model\"");
    }
    const std::string type = modelType(model, definition);
    if (type != "BPE") {
        return failure("has a model " + (type.front() == 'w' ? type : '"' + type + '"') + "; Tunebench knows BPE");
    }
    if (model.contains("merges")) {
        return failure("\"model.merges\" must be a list of \"a b\" or [\"a\", \"b\"]");
    }
    if (definition.vocabulary.count() == 0) {
        return failure("has an empty or missing \"model.vocab\"");
    }
    return bpeOptions(model).and_then([&](const BpeOptions& options) -> Result<Bpe> {
        if (definition.mergeTable) {
            return Bpe(std::move(definition.vocabulary), std::move(*definition.mergeTable), options);
        }
        return Bpe::create(std::move(definition.vocabulary), definition.merges, options);
    });
}

Result<AddedToken> addedTokenFromJson(const json& value)
{
    json typed = value;
    if (typed.is_object()) {
        typed["type"] = "";
    }
    const Result<ComponentReader> reader = ComponentReader::open(typed, "added token");
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    const Result<std::string> content = reader->text("content");
    if (!content) {
        return tl::unexpected(content.error());
    }
    AddedToken token;
    token.content = *content;
    const Result<bool> special = reader->flag("special", false);
    if (!special) {
        return tl::unexpected(special.error());
    }
    token.normalized = !*special;
    const std::pair<const char*, bool*> flags[] = { { "single_word", &token.singleWord },
        { "lstrip", &token.leftStrip }, { "rstrip", &token.rightStrip }, { "normalized", &token.normalized } };
    for (const auto& [key, target] : flags) {
        const Result<bool> flag = reader->flag(key, *target);
        if (!flag) {
            return tl::unexpected(flag.error());
        }
        *target = *flag;
    }
    return token;
}

Result<AddedTokens> addedTokensFromJson(const json& list, const Vocabulary& vocabulary, const Normalizer& normalizer)
{
    AddedTokens tokens;
    if (!list.is_null() && !list.is_array()) {
        return failure("\"added_tokens\" must be a list");
    }
    for (const json& entry : list) {
        const Result<AddedToken> token = addedTokenFromJson(entry);
        if (!token) {
            return tl::unexpected(token.error());
        }
        if (const Result<void> added = tokens.add(*token, vocabulary, normalizer); !added) {
            return tl::unexpected(added.error());
        }
    }
    return tokens;
}

} // namespace

Result<std::shared_ptr<const Tokenizer::Implementation>> Tokenizer::Implementation::create(
    TokenizerDefinition definition)
{
    const json& document = definition.document;
    if (!document.is_object()) {
        return failure("is not a JSON object");
    }
    Result<Bpe> model = modelFromDefinition(definition);
    Result<Normalizer> normalizer = definition.normalizer ? Result<Normalizer>(std::move(*definition.normalizer))
                                                          : Normalizer::fromJson(member(document, "normalizer"));
    Result<PreTokenizer> preTokenizer = PreTokenizer::fromJson(member(document, "pre_tokenizer"));
    Result<PostProcessor> postProcessor = PostProcessor::fromJson(member(document, "post_processor"));
    Result<Decoder> decoder = Decoder::fromJson(member(document, "decoder"));
    const Error* error = !model ? &model.error()
        : !normalizer           ? &normalizer.error()
        : !preTokenizer         ? &preTokenizer.error()
        : !postProcessor        ? &postProcessor.error()
        : !decoder              ? &decoder.error()
                                : nullptr;
    if (error != nullptr) {
        return tl::unexpected(*error);
    }
    Result<AddedTokens> added = addedTokensFromJson(member(document, "added_tokens"), model->vocabulary(), *normalizer);
    if (!added) {
        return tl::unexpected(added.error());
    }
    for (const std::string& piece : definition.wholePieces) {
        added->addWhole(piece, *model->vocabulary().idOf(piece));
    }
    return std::make_shared<const Implementation>(Implementation { std::move(*normalizer), std::move(*preTokenizer),
        std::move(*model), std::move(*postProcessor), std::move(*decoder), std::move(*added) });
}

} // namespace tunebench
