#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

class GgufFile;
struct TokenizerDefinition;

using TokenId = int32_t;

/// Bytes [begin, end) of a text.
struct ByteSpan {
    size_t begin = 0;
    size_t end = 0;
    bool operator==(const ByteSpan&) const = default;
};

/// Tokens, each with the bytes of the input that it stands for (empty for tokens that the post-processor added).
struct Encoding {
    std::vector<TokenId> ids;
    std::vector<ByteSpan> spans;
};

/// What tokenizer_config.json says about a SentencePiece model.
struct SentencePieceOptions {
    std::optional<bool> addBos; ///< else where the model has a BOS
    bool addEos = false;
    bool prefixOnlyAtStart = false; ///< the space in front: once, not after each special token as well
};

/// A Hugging Face `tokenizer.json` (or the same tokenizer in another file), with the ids of the `tokenizers`
/// library. A component that is not known is refused by name when opening. Const functions may be called from
/// several threads at once; copies share the vocabulary.
class Tokenizer {
public:
    /// `where` names the file in errors.
    static Result<Tokenizer> fromJson(std::string_view json, std::string_view where);
    static Result<Tokenizer> fromGguf(const GgufFile& file);
    /// A SentencePiece `tokenizer.model` of the BPE kind; other kinds are refused by name.
    static Result<Tokenizer> fromSentencePiece(
        std::string_view model, std::string_view where, const SentencePieceOptions& options = {});
    /// Mistral's `tekken.json`.
    static Result<Tokenizer> fromTekken(std::string_view json, std::string_view where);

    /// Special tokens written in the text are always recognised; `addSpecialTokens` runs the post-processor as well.
    std::vector<TokenId> encode(std::string_view text, bool addSpecialTokens) const;
    Encoding encodeWithSpans(std::string_view text, bool addSpecialTokens) const;

    /// The text of the ids; special tokens are kept and nothing is cleaned up.
    std::string decode(std::span<const TokenId> ids) const;

    std::optional<TokenId> idOf(std::string_view token) const;
    /// The token as the vocabulary spells it, or nothing for an id that it does not have.
    std::optional<std::string> tokenOf(TokenId id) const;
    /// One more than the highest id, added tokens included.
    size_t size() const;

    struct Implementation;

private:
    static Result<Tokenizer> fromDefinition(Result<TokenizerDefinition> definition, std::string_view where);
    explicit Tokenizer(std::shared_ptr<const Implementation> implementation);
    std::shared_ptr<const Implementation> m_implementation;
};

} // namespace tunebench
