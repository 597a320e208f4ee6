#include "core/text/chat_template.h"

#include "core/text/jinja/interpreter.h"
#include "core/text/jinja/parser.h"
#include "core/text/utf8.h"

namespace tunebench {

struct ChatTemplate::Program {
    std::string source;
    jinja::Program program;
};

ChatTemplate::ChatTemplate(std::shared_ptr<const Program> program)
    : m_program(std::move(program))
{
}

Result<ChatTemplate> ChatTemplate::parse(std::string_view source)
{
    if (!isValidUtf8(source))
        return failure("The chat template cannot be read: it is not valid UTF-8. Save it as UTF-8.");
    try {
        return ChatTemplate(
            std::make_shared<const Program>(Program { std::string(source), jinja::parseTemplate(source) }));
    } catch (const jinja::TemplateFailure& error) {
        return failure("The chat template cannot be read: " + std::string(error.what()) + ".");
    }
}

Result<RenderedChat> ChatTemplate::render(const nlohmann::ordered_json& variables, std::optional<std::string> now) const
{
    if (!variables.is_object())
        return failure("The variables of a chat template must be a JSON object.");
    const auto time = now ? jinja::parseDateTime(*now) : jinja::currentDateTime();
    if (!time)
        return failure("'" + *now + "' is not an ISO date; write 2026-11-29 or 2026-11-29T12:00:00.");
    try {
        jinja::Rendering rendering = jinja::Interpreter(m_program->program, variables, *time).run();
        RenderedChat chat;
        chat.text = std::move(rendering.text);
        for (const auto& span : rendering.generation)
            chat.generation.push_back({ span.begin, span.end });
        return chat;
    } catch (const jinja::TemplateFailure& error) {
        return failure("The chat template failed: " + std::string(error.what()));
    }
}

bool ChatTemplate::marksGeneration() const
{
    return m_program->program.hasGeneration;
}

const std::string& ChatTemplate::source() const
{
    return m_program->source;
}

} // namespace tunebench
