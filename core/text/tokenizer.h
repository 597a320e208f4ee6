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

/// A Hugging Face `tokenizer.json` (or the same tokenizer from GGUF metadata), with the ids of the `tokenizers`
/// library. A component that is not known is refused by name when opening. Const functions may be called from
/// several threads at once; copies share the vocabulary.
class Tokenizer {
public:
    /// `where` names the file in errors.
    static Result<Tokenizer> fromJson(std::string_view json, std::string_view where);
    static Result<Tokenizer> fromGguf(const GgufFile& file);

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
    explicit Tokenizer(std::shared_ptr<const Implementation> implementation);
    std::shared_ptr<const Implementation> m_implementation;
};

} // namespace tunebench
