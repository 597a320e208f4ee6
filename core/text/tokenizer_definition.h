#pragma once

#include "core/text/added_tokens.h"
#include "core/text/bpe.h"

#include <nlohmann/json.hpp>

namespace tunebench {

/// What a tokenizer.json says; a GGUF file's metadata is brought into the same shape.
struct TokenizerDefinition {
    nlohmann::json document; ///< all but the vocabulary and the merges
    Vocabulary vocabulary;
    std::vector<Bpe::Pair> merges;
    std::optional<MergeTable> mergeTable; ///< in place of `merges`, where it is known already
};

/// Reads the JSON in one pass; the two large tables go where they belong without becoming JSON values first.
Result<TokenizerDefinition> readTokenizerJson(std::string_view json);

} // namespace tunebench
