#pragma once

#include "core/text/chat_template.h"
#include "core/text/tokenizer/tokenizer.h"

#include <filesystem>

namespace tunebench {

/// What a model brings for text: its tokenizer, its chat template and the tokens that the template names.
struct TextModel {
    Tokenizer tokenizer;
    std::optional<ChatTemplate> chatTemplate; ///< absent for base models
    nlohmann::ordered_json templateVariables; ///< bos_token, eos_token, pad_token, unk_token, ... as strings
    std::optional<TokenId> bos, eos, pad;
    std::vector<TokenId> ends {}; ///< tokens with which the model ends what it says; eos is one of them
    std::optional<ChatTemplate> toolTemplate; ///< "tool_use", where the model has one of that name beside its default

    /// What a chat is written with, chosen as transformers does: the template for tools where the chat has any and
    /// there is one; null where there is none at all.
    const ChatTemplate* templateFor(bool hasTools) const;
};

/// Opens the text files of a model: a folder with tokenizer.json, tokenizer.model or tekken.json (that alone is enough;
/// tokenizer_config.json, chat_template.jinja, chat_template.json, special_tokens_map.json and generation_config.json
/// are read where they stand), one of these files itself, or a .gguf file. Weights and config.json are not needed.
Result<TextModel> openTextModel(const std::filesystem::path& model);

} // namespace tunebench
