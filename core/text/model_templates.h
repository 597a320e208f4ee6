#pragma once

#include "core/text/chat_template.h"

#include <filesystem>
#include <map>

namespace tunebench {

/// The chat templates of a model: that for every chat, and that for chats with tools.
struct Templates {
    std::optional<ChatTemplate> chat, tool;
};

/// The template that transformers takes for chats with tools.
inline constexpr const char* toolTemplateName = "tool_use";

/// The sources of a model's templates by name; a single one is called "default".
using TemplateSources = std::map<std::string, std::string>;

/// Those of the sources that are used; errors name `origin`.
Result<Templates> parseTemplates(const TemplateSources& sources, const std::string& origin);

/// As in transformers, files of templates (chat_template.jinja, additional_chat_templates) win over those in
/// tokenizer_config.json, which is `config`; chat_template.json is where models that see pictures too keep theirs.
Result<Templates> readTemplates(const std::filesystem::path& folder, const nlohmann::ordered_json& config);

} // namespace tunebench
