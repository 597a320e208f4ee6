#include "core/text/model_templates.h"

#include "core/base/files.h"
#include "core/text/optional_files.h"

namespace tunebench {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// The sources in `chat_template`: a string, or a list of {name, template}.
Result<TemplateSources> templatesInConfig(const fs::path& path, const ordered_json& config)
{
    const auto value = config.find("chat_template");
    if (value == config.end() || value->is_null()) {
        return TemplateSources {};
    }
    if (value->is_string()) {
        return TemplateSources { { "default", value->get<std::string>() } };
    }
    const auto wrongKind
        = failure(path.string() + ": \"chat_template\" must be a string or a list of {name, template}");
    if (!value->is_array()) {
        return wrongKind;
    }
    TemplateSources sources;
    for (const ordered_json& entry : *value) {
        const bool named = entry.is_object() && entry.contains("name") && entry.contains("template");
        if (!named || !entry.at("name").is_string() || !entry.at("template").is_string()) {
            return wrongKind;
        }
        sources[entry.at("name").get<std::string>()] = entry.at("template").get<std::string>();
    }
    return sources;
}

/// The template of chat_template.jinja, and those of the folder that newer copies of a model keep the others in.
Result<TemplateSources> templatesInFiles(const fs::path& folder)
{
    TemplateSources sources;
    for (const auto& [name, file] : { std::pair("default", folder / "chat_template.jinja"),
             { toolTemplateName, folder / "additional_chat_templates" / "tool_use.jinja" } }) {
        if (!isFile(file)) {
            continue;
        }
        Result<std::string> source = readFile(file);
        if (!source) {
            return tl::unexpected(source.error());
        }
        sources[name] = std::move(*source);
    }
    return sources;
}

Result<std::optional<ChatTemplate>> parseTemplate(
    const TemplateSources& sources, const std::string& name, const std::string& origin)
{
    const auto source = sources.find(name);
    if (source == sources.end()) {
        return std::nullopt;
    }
    return ChatTemplate::parse(source->second)
        .map([](ChatTemplate parsed) { return std::optional(std::move(parsed)); })
        .map_error([&](const Error& error) {
            return Error { origin + ": " + error.message, error.fault };
        });
}

} // namespace

Result<Templates> parseTemplates(const TemplateSources& sources, const std::string& origin)
{
    auto chat = parseTemplate(sources, "default", origin);
    auto tool = parseTemplate(sources, toolTemplateName, origin);
    if (!chat || !tool) {
        return tl::unexpected(!chat ? chat.error() : tool.error());
    }
    return Templates { std::move(*chat), std::move(*tool) };
}

Result<Templates> readTemplates(const fs::path& folder, const ordered_json& config)
{
    fs::path origin = folder / "chat_template.jinja";
    Result<TemplateSources> sources = templatesInFiles(folder);
    if (sources && sources->empty()) {
        origin = folder / (config.contains("chat_template") ? "tokenizer_config.json" : "chat_template.json");
        sources = config.contains("chat_template") ? templatesInConfig(origin, config)
                                                   : readOptionalObject(origin).and_then([&](const ordered_json& own) {
                                                         return templatesInConfig(origin, own);
                                                     });
    }
    return sources.and_then([&](const TemplateSources& found) { return parseTemplates(found, origin.string()); });
}

} // namespace tunebench
