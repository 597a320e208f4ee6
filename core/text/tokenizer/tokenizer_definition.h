#pragma once

#include "core/text/tokenizer/added_tokens.h"
#include "core/text/tokenizer/bpe.h"

#include <nlohmann/json.hpp>

namespace tunebench {

/// What a tokenizer.json says; GGUF metadata, SentencePiece models and tekken.json are brought into the same shape.
struct TokenizerDefinition {
    nlohmann::json document; ///< all but the vocabulary and the merges
    Vocabulary vocabulary;
    MergeTexts merges;
    std::optional<MergeTable> mergeTable; ///< in place of `merges`, where it is known already
    std::optional<Normalizer> normalizer; ///< in place of the document's
    std::vector<std::string> wholePieces; ///< tokens that are found in the normalised text as they are spelled
};

/// Reads the JSON in one pass; the two large tables go where they belong without becoming JSON values first.
Result<TokenizerDefinition> readTokenizerJson(std::string_view json);

} // namespace tunebench
