#include "core/text/tokenizer/definition_parts.h"
#include "core/text/tokenizer/sentencepiece_merges.h"
#include "core/text/tokenizer/sentencepiece_model.h"
#include "core/text/tokenizer/tokenizer_implementation.h"
#include "core/text/utf8.h"

#include <cmath>
#include <limits>

namespace tunebench {

using nlohmann::json;

namespace {

using PieceType = SentencePieceModel::PieceType;

constexpr const char* remedy = "Use a copy of the model that has a tokenizer.json";

Result<void> checkKind(const SentencePieceModel& model)
{
    const char* const other = model.kind == SentencePieceModel::Kind::bpe ? nullptr
        : model.kind == SentencePieceModel::Kind::unigram                 ? "unigram"
        : model.kind == SentencePieceModel::Kind::word                    ? "word"
        : model.kind == SentencePieceModel::Kind::characters              ? "character"
                                                                          : "unknown";
    if (other != nullptr) {
        return failure(
            std::string("is a SentencePiece model of the ") + other + " kind; Tunebench knows BPE. " + remedy);
    }
    if (model.spaceBehindWords) {
        return failure(std::string("puts spaces behind words (treat_whitespace_as_suffix), which Tunebench does not "
                                   "know. ")
            + remedy);
    }
    return {};
}

Result<void> checkPiece(const SentencePieceModel::Piece& piece)
{
    if (piece.text.empty() || !isValidUtf8(piece.text)) {
        return failure("has a piece that is empty or not valid UTF-8; the file may be damaged");
    }
    if (piece.type < PieceType::normal || piece.type > PieceType::byte || piece.type == PieceType::unused) {
        return failure("has the piece \"" + piece.text + "\" of a type that Tunebench does not know. " + remedy);
    }
    if (!std::isfinite(piece.score)) {
        return failure("has the piece \"" + piece.text + "\" with a score that is not a number");
    }
    return {};
}

/// Fills the vocabulary and its merges; only normal pieces are merged, and into normal pieces.
Result<void> takePieces(const SentencePieceModel& model, TokenizerDefinition& definition)
{
    json added = json::array();
    std::vector<double> scores;
    scores.reserve(model.pieces.size());
    for (const SentencePieceModel::Piece& piece : model.pieces) {
        if (Result<void> usable = checkPiece(piece); !usable) {
            return usable;
        }
        const auto id = static_cast<int64_t>(scores.size());
        if (definition.vocabulary.idOf(piece.text)) {
            return failure("has the piece \"" + piece.text + "\" twice; the file may be damaged");
        }
        if (Result<void> known = definition.vocabulary.add(piece.text, id); !known) {
            return known;
        }
        scores.push_back(piece.type == PieceType::normal ? piece.score : -std::numeric_limits<double>::infinity());
        if (piece.type == PieceType::control || piece.type == PieceType::unknown) {
            added.push_back(rawAddedToken(piece.text, true));
        } else if (piece.type == PieceType::userDefined) {
            definition.wholePieces.push_back(piece.text);
        }
        if (piece.type == PieceType::unknown) {
            definition.document["model"]["unk_token"] = piece.text;
        }
    }
    definition.document["added_tokens"] = std::move(added);
    definition.mergeTable = sentencePieceMerges(definition.vocabulary, scores);
    return {};
}

std::optional<NamedToken> tokenAt(const SentencePieceModel& model, int32_t id)
{
    if (id < 0 || static_cast<size_t>(id) >= model.pieces.size()) {
        return std::nullopt;
    }
    return NamedToken { model.pieces[static_cast<size_t>(id)].text, id };
}

Result<Normalizer> normalizerOf(const SentencePieceModel& model, bool prefixOnlyAtStart)
{
    SentencePieceNormalizer step;
    Result<CharacterMap> map = CharacterMap::read(model.characterMap);
    if (!map) {
        return tl::unexpected(map.error());
    }
    step.map = std::move(*map);
    for (size_t id = 0; id < model.pieces.size() && !step.map.empty(); ++id) {
        if (model.pieces[id].type == PieceType::userDefined) {
            step.whole.add(model.pieces[id].text, static_cast<TokenId>(id));
        }
    }
    step.prefixSpace = model.prefixSpace;
    step.prefixOnlyAtStart = prefixOnlyAtStart;
    step.dropsExtraSpaces = model.dropsExtraSpaces;
    step.marksSpaces = model.marksSpaces;
    return Normalizer::fromSentencePiece(std::move(step));
}

Result<TokenizerDefinition> definitionOf(const SentencePieceModel& model, const SentencePieceOptions& options)
{
    if (const Result<void> known = checkKind(model); !known) {
        return tl::unexpected(known.error());
    }
    TokenizerDefinition definition;
    definition.document
        = { { "model", { { "type", "BPE" }, { "byte_fallback", model.byteFallback }, { "fuse_unk", true } } },
              { "decoder", sentencePieceDecoder(model.prefixSpace) } };
    if (const Result<void> taken = takePieces(model, definition); !taken) {
        return tl::unexpected(taken.error());
    }
    const auto bos = tokenAt(model, model.bos);
    const auto eos = tokenAt(model, model.eos);
    definition.document["post_processor"]
        = bosEosTemplate(options.addBos.value_or(true) ? bos : std::nullopt, options.addEos ? eos : std::nullopt);
    return normalizerOf(model, options.prefixOnlyAtStart).map([&](Normalizer normalizer) {
        definition.normalizer = std::move(normalizer);
        return std::move(definition);
    });
}

} // namespace

Result<Tokenizer> Tokenizer::fromSentencePiece(
    std::string_view model, std::string_view where, const SentencePieceOptions& options)
{
    return fromDefinition(readSentencePieceModel(model).and_then(
                              [&](const SentencePieceModel& read) { return definitionOf(read, options); }),
        where);
}

} // namespace tunebench
