#pragma once

#include "core/text/tokenizer/added_tokens.h"
#include "core/text/tokenizer/bpe.h"
#include "core/text/tokenizer/decoder.h"
#include "core/text/tokenizer/post_processor.h"
#include "core/text/tokenizer/pre_tokenizer.h"
#include "core/text/tokenizer/tokenizer_definition.h"

namespace tunebench {

struct Tokenizer::Implementation {
    Normalizer normalizer;
    PreTokenizer preTokenizer;
    Bpe model;
    PostProcessor postProcessor;
    Decoder decoder;
    AddedTokens addedTokens;

    /// Builds the components of the document; errors do not name the file.
    static Result<std::shared_ptr<const Implementation>> create(TokenizerDefinition definition);
};

} // namespace tunebench
