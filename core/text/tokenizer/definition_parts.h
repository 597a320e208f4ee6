#pragma once

#include "core/text/tokenizer/tokenizer.h"
#include "core/text/utf8.h"

#include <nlohmann/json.hpp>

namespace tunebench {

/// Components of tokenizer.json, written for files that say the same in another way.

struct NamedToken {
    std::string content;
    TokenId id;
};

/// A TemplateProcessing that puts `bos` before and `eos` behind the text.
nlohmann::json bosEosTemplate(const std::optional<NamedToken>& bos, const std::optional<NamedToken>& eos);

nlohmann::json replaceComponent(std::string_view from, std::string_view to);

/// Space marks become spaces, byte tokens bytes; the space in front is taken away again.
nlohmann::json sentencePieceDecoder(bool stripsFirstSpace);

/// An entry of `added_tokens` that is looked for in the text as it is.
nlohmann::json rawAddedToken(const std::string& content, bool special);

} // namespace tunebench
