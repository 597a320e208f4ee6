#include "core/data/messages.h"

#include "core/data/files/text_checks.h"
#include "core/data/message_parts.h"
#include "core/data/tool_calls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

/// A long conversation is rendered once a turn; past this the work would grow out of hand.
constexpr size_t maxMessages = 1000;

/// A role whose content is a tool call in JSON.
constexpr std::string_view callRole = "function_call";

/// The role that templates know for what files call the speaker.
std::optional<std::string_view> roleOf(const std::string& given)
{
    const std::string speaker = lowered(given);
    struct Speaker {
        std::string_view name, role;
    };
    constexpr std::array<Speaker, 18> speakers { { { "user", "user" }, { "human", "user" },
        { "assistant", "assistant" }, { "gpt", "assistant" }, { "chatgpt", "assistant" }, { "bing", "assistant" },
        { "bard", "assistant" }, { "model", "assistant" }, { "bot", "assistant" }, { "system", "system" },
        { "tool", "tool" }, { "observation", "tool" }, { "function", "tool" }, { "function_response", "tool" },
        { "tool_response", "tool" }, { callRole, callRole }, { "function-call", callRole },
        { "tool_call", callRole } } };
    const auto* const at
        = std::find_if(speakers.begin(), speakers.end(), [&](const Speaker& known) { return known.name == speaker; });
    return at == speakers.end() ? std::nullopt : std::optional(at->role);
}

bool callsTools(const ordered_json& message)
{
    const auto calls = message.find("tool_calls");
    return calls != message.end() && calls->is_array() && !calls->empty();
}

/// Turns a message whose content is a tool call into the assistant's turn with that call.
Read<void> takeCallRole(ordered_json& message, const std::string& place)
{
    auto calls = toolCallsOf(message["content"], place);
    if (!calls)
        return refuse(calls.error());
    message["role"] = "assistant";
    message["content"] = "";
    message["tool_calls"] = std::move(*calls);
    return {};
}

/// Calls in a message's own keys, today's list or the one call that OpenAI's files had before.
Read<void> checkCalls(ordered_json& message, const std::string& place)
{
    for (const char* key : { "tool_calls", "function_call" }) {
        const auto given = message.find(key);
        if (given == message.end())
            continue;
        if (!given->empty()) {
            auto calls = toolCallsOf(*given, place + "." + key);
            if (!calls)
                return refuse(calls.error());
            message.erase(key);
            message["tool_calls"] = std::move(*calls);
        } else {
            message.erase(key);
        }
    }
    return {};
}

Read<void> checkContent(ordered_json& message, const std::string& place)
{
    const auto content = message.find("content");
    if (content == message.end() || content->is_null()) {
        if (!callsTools(message))
            return refuse(place + " has no \"content\"");
        message["content"] = ""; // templates look into it
        return {};
    }
    if (content->is_array())
        return joinParts(message, place + ".content");
    if (!content->is_string())
        return refuse(place + ".content is " + kindOf(*content) + ", not text");
    return {};
}

Read<ordered_json> checkedMessage(const ordered_json& given, const std::string& place)
{
    if (!given.is_object())
        return refuse(place + " is " + kindOf(given) + ", not a message {role, content}");
    ordered_json message = ordered_json::object();
    for (const auto& [key, value] : given.items()) {
        if (!value.is_null() || key == "content")
            message[key] = value;
    }
    if (!message.contains("role") || !message["role"].is_string())
        return refuse(place + " has no \"role\" that is text");
    if (const auto role = roleOf(message["role"].get_ref<const std::string&>()))
        message["role"] = *role;
    if (auto calls = checkCalls(message, place); !calls)
        return refuse(calls.error());
    if (auto content = checkContent(message, place); !content)
        return refuse(content.error());
    if (message["role"] == callRole) {
        if (auto call = takeCallRole(message, place); !call)
            return refuse(call.error());
    }
    return message;
}

Read<void> checkList(const ordered_json& list, const std::string& column)
{
    if (list.is_null())
        return refuse("\"" + column + "\" is missing or null");
    if (!list.is_array())
        return refuse("\"" + column + "\" is " + kindOf(list) + ", not a list of turns");
    if (list.size() > maxMessages)
        return refuse("\"" + column + "\" has " + std::to_string(list.size()) + " turns; at most "
            + std::to_string(maxMessages) + " are read");
    return {};
}

/// A turn {from, value} as a message.
Read<ordered_json> messageOfTurn(const ordered_json& turn, const std::string& place)
{
    if (!turn.is_object())
        return refuse(place + " is " + kindOf(turn) + ", not a turn {from, value}");
    const auto from = turn.contains("from") ? turn.find("from") : turn.find("role");
    const auto value = turn.contains("value") ? turn.find("value") : turn.find("content");
    if (from == turn.end() || !from->is_string())
        return refuse(place + " has no \"from\" that is text");
    if (value == turn.end() || !(value->is_string() || value->is_array()))
        return refuse(place + " has no \"value\" that is text");
    const auto& speaker = from->get_ref<const std::string&>();
    if (!roleOf(speaker))
        return refuse(place + " is said by \"" + speaker.substr(0, 40)
            + "\"; known are human, gpt, system, function_call and observation; rename it");
    ordered_json message = { { "role", speaker }, { "content", *value } };
    for (const char* key : { "weight", "loss_weight", "tool_calls", "reasoning_content" }) {
        if (turn.contains(key))
            message[key] = turn[key];
    }
    return checkedMessage(message, place);
}

/// 0 or 1 under either name that files use for it; 1 where there is none.
Read<bool> countsInLoss(const ordered_json& message, size_t index)
{
    for (const char* key : { "weight", "loss_weight" }) {
        const auto weight = message.find(key);
        if (weight == message.end())
            continue;
        if (*weight != 0 && *weight != 1)
            return refuse("turn " + std::to_string(index + 1) + " has \"" + key + "\": " + weight->dump().substr(0, 40)
                + "; only 0 and 1 can be trained");
        return *weight == 1;
    }
    return true;
}

template <class ReadOne>
Read<ordered_json> eachTurn(const ordered_json& list, const std::string& column, ReadOne readOne)
{
    if (auto checked = checkList(list, column); !checked)
        return refuse(checked.error());
    ordered_json messages = ordered_json::array();
    for (const auto& given : list) {
        auto message = readOne(given, column + "[" + std::to_string(messages.size()) + "]");
        if (!message)
            return message;
        messages.push_back(std::move(*message));
    }
    return messages;
}

} // namespace

Read<ordered_json> checkedMessages(const ordered_json& list, const std::string& column)
{
    return eachTurn(list, column, checkedMessage);
}

Read<ordered_json> messagesOfConversations(const ordered_json& list, const std::string& column)
{
    return eachTurn(list, column, messageOfTurn);
}

Read<std::vector<bool>> trainedMessages(const ordered_json& messages)
{
    std::vector<bool> trained;
    for (const auto& message : messages) {
        const size_t index = trained.size();
        trained.push_back(false);
        if (message["role"] != "assistant")
            continue;
        auto counts = countsInLoss(message, index);
        if (!counts)
            return refuse(counts.error());
        const auto content = message.find("content");
        const bool blank
            = content == message.end() || !content->is_string() || isBlank(content->get_ref<const std::string&>());
        if (*counts && blank && !callsTools(message))
            return refuse("the answer (turn " + std::to_string(index + 1) + ") is empty");
        trained.back() = *counts;
    }
    return trained;
}

} // namespace tunebench
