#include "app/cli/command_line.h"

#include "core/base/files.h"
#include "core/text/text_model.h"

#include <memory>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options {
    std::string model;
    std::string templateFile;
};

/// A template, or why it cannot be used (which is every line's answer), and the variables that come with it.
struct Source {
    Result<ChatTemplate> chatTemplate;
    std::optional<ChatTemplate> toolTemplate {}; ///< a model's own for chats with tools
    ordered_json variables = ordered_json::object();

    Result<ChatTemplate> templateFor(const ordered_json& given) const
    {
        const auto tools = given.find("tools");
        return toolTemplate && tools != given.end() && !tools->is_null() ? *toolTemplate : chatTemplate;
    }
};

Result<Source> openSource(const Options& options)
{
    if (!options.templateFile.empty()) {
        return readFile(options.templateFile).map([](const std::string& text) {
            return Source { ChatTemplate::parse(text) };
        });
    }
    auto text = openTextModel(options.model);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (!text->chatTemplate && !text->toolTemplate) {
        return failure(options.model + " has no chat template; give one with --template FILE.");
    }
    Result<ChatTemplate> usual = failure("The model has a chat template for chats with tools only.");
    if (text->chatTemplate) {
        usual = std::move(*text->chatTemplate);
    }
    return Source { std::move(usual), std::move(text->toolTemplate), std::move(text->templateVariables) };
}

/// The answer to one line, {"text"} or {"error"}; an error when the line itself is wrong.
Result<ordered_json> renderLine(const Source& source, const std::string& line, size_t number)
{
    auto given = parseJsonLine(line, number, "a JSON object");
    if (!given) {
        return given;
    }
    if (!given->is_object()) {
        return failure("Line " + std::to_string(number) + " of the input is not a JSON object.");
    }
    std::optional<std::string> now;
    if (const auto found = given->find("now"); found != given->end()) {
        if (!found->is_string()) {
            return failure("`now` in line " + std::to_string(number) + " of the input must be an ISO date as a text.");
        }
        now = found->get<std::string>();
        given->erase(found);
    }
    ordered_json variables = source.variables;
    for (auto& [key, value] : given->items()) {
        variables[key] = std::move(value);
    }
    const auto rendered = source.templateFor(variables).and_then(
        [&](const ChatTemplate& parsed) { return parsed.render(variables, now); });
    return rendered ? ordered_json { { "text", rendered->text } }
                    : ordered_json { { "error", rendered.error().message } };
}

Result<int> render(Console& console, const Options& options)
{
    const auto source = openSource(options);
    if (!source) {
        return tl::unexpected(source.error());
    }
    const auto answered = answerLines(
        console, [&](const std::string& line, size_t number) { return renderLine(*source, line, number); });
    return answered.map([] { return 0; });
}

} // namespace

void addRender(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add("render", "JSON lines of template variables in, JSON lines of rendered chats out",
        [options](Console& console) { return render(console, *options); });
    auto* source = command->add_option_group("template", "Where the template comes from");
    source->add_option(
        "--model", options->model, "Model folder, tokenizer.json or .gguf file: its template and tokens");
    source->add_option("--template", options->templateFile, "File that holds a Jinja chat template");
    source->require_option(1);
}

} // namespace tunebench
