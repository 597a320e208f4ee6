#include "core/data/chat_records.h"

#include "core/data/files/text_checks.h"
#include "core/data/messages.h"

#include <algorithm>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

ordered_json message(const char* role, std::string content)
{
    return { { "role", role }, { "content", std::move(content) } };
}

/// Puts the column "system" before the turns.
Read<void> addSystem(ordered_json& messages, const ordered_json& row)
{
    auto system = textOf(row, "system", true);
    if (!system)
        return refuse(system.error());
    if (system->empty())
        return {};
    if (!messages.empty() && messages.front()["role"] == "system")
        return refuse("it has a \"system\" column and a system turn as well");
    messages.insert(messages.begin(), message("system", std::move(*system)));
    return {};
}

/// The turns of alpaca's `history`, [[question, answer], ...], appended to messages.
Read<void> appendHistory(ordered_json& messages, const ordered_json& history)
{
    if (history.is_null())
        return {};
    if (!history.is_array())
        return refuse(std::string("\"history\" is ") + kindOf(history) + ", not a list of [question, answer]");
    for (const auto& pair : history) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
            return refuse("\"history\" is not a list of [question, answer]");
        messages.push_back(message("user", pair[0].get<std::string>()));
        messages.push_back(message("assistant", pair[1].get<std::string>()));
    }
    return {};
}

} // namespace

Read<ChatRecord> chatOf(ordered_json messages, ordered_json tools, size_t promptMessages)
{
    ChatRecord record { std::move(messages), std::move(tools), {}, promptMessages };
    auto trained = trainedMessages(record.messages);
    if (!trained)
        return refuse(trained.error());
    record.trained = std::move(*trained);
    const auto from = record.trained.begin() + static_cast<std::ptrdiff_t>(promptMessages);
    if (std::find(from, record.trained.end(), true) == record.trained.end())
        return refuse(promptMessages > 0 ? "after the prompt it has no assistant turn to learn from"
                                         : "it has no assistant turn to learn from");
    return record;
}

Read<ordered_json> turnsOf(const ordered_json& list, const std::string& column)
{
    const bool speaks = list.is_array() && !list.empty() && list.front().is_object() && list.front().contains("from");
    return speaks ? messagesOfConversations(list, column) : checkedMessages(list, column);
}

Read<ChatRecord> readAlpaca(const ordered_json& row)
{
    auto instruction = textOf(row, "instruction");
    auto input = textOf(row, "input", true);
    auto output = answerOf(row, "output");
    for (const auto* part : { &instruction, &input, &output }) {
        if (!*part)
            return refuse(part->error());
    }
    if (isBlank(*instruction) && isBlank(*input))
        return refuse("\"instruction\" is empty");
    ordered_json messages = ordered_json::array();
    if (auto system = addSystem(messages, row); !system)
        return refuse(system.error());
    if (auto history = appendHistory(messages, structureOf(row, "history")); !history)
        return refuse(history.error());
    messages.push_back(message("user", input->empty() ? *instruction : *instruction + "\n" + *input));
    messages.push_back(message("assistant", std::move(*output)));
    return chatOf(std::move(messages), {});
}

Read<ChatRecord> readQuestionAnswer(const ordered_json& row)
{
    auto question = textOf(row, "question");
    auto answer = answerOf(row, "answer");
    for (const auto* part : { &question, &answer }) {
        if (!*part)
            return refuse(part->error());
    }
    if (isBlank(*question))
        return refuse("\"question\" is empty");
    ordered_json messages = ordered_json::array();
    if (auto system = addSystem(messages, row); !system)
        return refuse(system.error());
    messages.push_back(message("user", std::move(*question)));
    messages.push_back(message("assistant", std::move(*answer)));
    return chatOf(std::move(messages), {});
}

Read<ChatRecord> readSharegpt(const ordered_json& row)
{
    auto messages = messagesOfConversations(structureOf(row, "conversations"), "conversations");
    if (!messages)
        return refuse(messages.error());
    if (auto system = addSystem(*messages, row); !system)
        return refuse(system.error());
    auto tools = toolsOf(row);
    if (!tools)
        return refuse(tools.error());
    return chatOf(std::move(*messages), std::move(*tools));
}

Read<ChatRecord> readMessages(const ordered_json& row)
{
    auto messages = turnsOf(structureOf(row, "messages"), "messages");
    auto tools = toolsOf(row);
    if (!messages)
        return refuse(messages.error());
    if (!tools)
        return refuse(tools.error());
    return chatOf(std::move(*messages), std::move(*tools));
}

Read<ChatRecord> readPromptMessages(const ordered_json& row)
{
    auto prompt = turnsOf(turnsOrText(row, "prompt"), "prompt");
    ordered_json answers = turnsOrText(row, "completion");
    if (answers.is_object()) // one turn alone
        answers = ordered_json::array({ std::move(answers) });
    auto completion = turnsOf(answers, "completion");
    auto tools = toolsOf(row);
    for (const auto* part : { &prompt, &completion, &tools }) {
        if (!*part)
            return refuse(part->error());
    }
    const size_t promptMessages = prompt->size();
    if (promptMessages == 0)
        return refuse("\"prompt\" has no messages");
    for (auto& turn : *completion)
        prompt->push_back(std::move(turn));
    return chatOf(std::move(*prompt), std::move(*tools), promptMessages);
}

} // namespace tunebench
