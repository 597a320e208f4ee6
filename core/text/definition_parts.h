#pragma once

#include "core/text/tokenizer.h"

#include <nlohmann/json.hpp>

namespace tunebench {

/// The mark that SentencePiece writes for a space, U+2581.
constexpr const char* spaceMark = "\xE2\x96\x81";

/// Components of tokenizer.json, written for files that say the same in another way.

struct NamedToken {
    std::string content;
    TokenId id;
};

/// A TemplateProcessing that puts `bos` before and `eos` behind the text.
nlohmann::json bosEosTemplate(const std::optional<NamedToken>& bos, const std::optional<NamedToken>& eos);

nlohmann::json replaceComponent(const char* from, const char* to);

/// Space marks become spaces, byte tokens bytes; the space in front is taken away again.
nlohmann::json sentencePieceDecoder(bool stripsFirstSpace);

/// An entry of `added_tokens` that is looked for in the text as it is.
nlohmann::json rawAddedToken(const std::string& content, bool special);

} // namespace tunebench
