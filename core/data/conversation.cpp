#include "core/data/conversation.h"

#include "core/data/files/text_checks.h"

#include <optional>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

/// What begins an assistant's turn, or "" where it cannot be told.
std::string generationPrompt(Conversation& conversation, size_t count)
{
    const auto without = conversation.render(count, false);
    const auto with = conversation.render(count, true);
    const bool extends = without && with && with->text.starts_with(without->text);
    return extends ? with->text.substr(without->text.size()) : "";
}

/// Where the answers begin with which a conversation begins: many templates cannot render nothing before them, or
/// render it without a generation prompt. They begin after the only generation prompt in the text.
std::optional<size_t> startOfFirst(Conversation& conversation, size_t end, std::string_view whole)
{
    const std::string prompt = generationPrompt(conversation, end);
    const size_t at = prompt.empty() ? std::string::npos : whole.find(prompt);
    if (at == std::string::npos || whole.find(prompt, at + 1) != std::string::npos)
        return {};
    return at + prompt.size();
}

} // namespace

Conversation::Conversation(const ChatRecord& record, const ChatTemplate& chatTemplate,
    const ordered_json& templateVariables, const std::string& now)
    : m_record(record)
    , m_template(chatTemplate)
    , m_now(now)
    , m_variables(templateVariables)
{
    if (!m_variables.is_object())
        m_variables = ordered_json::object();
    m_variables["messages"] = ordered_json::array();
    m_variables["tools"] = record.tools;
    m_variables["documents"] = nullptr;
}

Read<RenderedChat> Conversation::render(size_t count, bool generationPrompt)
{
    ordered_json& messages = m_variables["messages"];
    while (messages.size() > count)
        messages.erase(messages.size() - 1);
    while (messages.size() < count)
        messages.push_back(m_record.messages[messages.size()]);
    m_variables["add_generation_prompt"] = generationPrompt;
    auto rendered = m_template.render(m_variables, m_now);
    if (!rendered)
        return refuse("the chat template refuses it: " + std::string(cutToCharacter(rendered.error().message, 300)));
    return std::move(*rendered);
}

Read<Addition> addedBy(Conversation& conversation, size_t begin, size_t end)
{
    auto before = conversation.render(begin, true);
    if (!before && begin > 0)
        return refuse(before.error());
    auto whole = conversation.render(end, false);
    if (!whole)
        return refuse(whole.error());
    std::optional<size_t> start;
    if (begin == 0)
        start = startOfFirst(conversation, end, whole->text);
    if (!start && before && whole->text.starts_with(before->text))
        start = before->text.size();
    if (!start)
        return refuse(begin == 0 ? "it begins with an assistant turn, and where that begins in what the chat template "
                                   "writes cannot be told"
                                 : "the chat template writes the turns before turn " + std::to_string(begin + 1)
                    + " otherwise once it follows, so where the answer begins cannot be told");
    const ByteSpan span { *start, whole->text.size() };
    return Addition { std::move(whole->text), span };
}

} // namespace tunebench
