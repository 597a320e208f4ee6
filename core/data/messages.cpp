#include "core/data/messages.h"

#include "core/data/text_checks.h"

#include <optional>
#include <string_view>

namespace tunebench {
namespace {

using nlohmann::ordered_json;
template <class T> using Read = tl::expected<T, std::string>;

/// A long conversation is rendered once a turn; past this the work would grow out of hand.
constexpr size_t maxMessages = 1000;

tl::unexpected<std::string> refuse(std::string reason)
{
    return tl::unexpected(std::move(reason));
}

/// Content given as parts, [{"type":"text","text":...}, ...], as one text.
Read<std::string> joinedParts(const ordered_json& parts, const std::string& place)
{
    std::string joined;
    for (const auto& part : parts) {
        if (part.is_string()) {
            joined += part.get_ref<const std::string&>();
            continue;
        }
        if (!part.is_object() || part.value("type", ordered_json()) != "text")
            return refuse(place + " has a part that is not text; only text can be trained");
        const auto value = part.contains("text") ? part.find("text") : part.find("value");
        if (value == part.end() || !value->is_string())
            return refuse(place + " has a part without text");
        joined += value->get_ref<const std::string&>();
    }
    return joined;
}

bool callsTools(const ordered_json& message)
{
    const auto calls = message.find("tool_calls");
    return calls != message.end() && calls->is_array() && !calls->empty();
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
    const bool hasContent = message.contains("content") && !message["content"].is_null();
    if (!hasContent) {
        if (callsTools(message))
            return message;
        return refuse(place + " has no \"content\"");
    }
    if (message["content"].is_array()) {
        auto joined = joinedParts(message["content"], place + ".content");
        if (!joined)
            return refuse(joined.error());
        message["content"] = std::move(*joined);
    }
    if (!message["content"].is_string())
        return refuse(place + ".content is " + kindOf(message["content"]) + ", not text");
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

/// The role that templates know for a speaker of ShareGPT files.
std::optional<std::string> roleOf(std::string_view speaker)
{
    if (speaker == "human" || speaker == "user")
        return "user";
    if (speaker == "gpt" || speaker == "assistant" || speaker == "chatgpt" || speaker == "bing" || speaker == "bard")
        return "assistant";
    if (speaker == "system")
        return "system";
    return {};
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

} // namespace

Read<ordered_json> checkedMessages(const ordered_json& list, const std::string& column)
{
    if (auto checked = checkList(list, column); !checked)
        return refuse(checked.error());
    ordered_json messages = ordered_json::array();
    for (const auto& given : list) {
        auto message = checkedMessage(given, column + "[" + std::to_string(messages.size()) + "]");
        if (!message)
            return message;
        messages.push_back(std::move(*message));
    }
    return messages;
}

Read<ordered_json> messagesOfConversations(const ordered_json& list)
{
    if (auto checked = checkList(list, "conversations"); !checked)
        return refuse(checked.error());
    ordered_json messages = ordered_json::array();
    for (const auto& turn : list) {
        const std::string place = "conversations[" + std::to_string(messages.size()) + "]";
        if (!turn.is_object())
            return refuse(place + " is " + kindOf(turn) + ", not a turn {from, value}");
        const auto from = turn.contains("from") ? turn.find("from") : turn.find("role");
        const auto value = turn.contains("value") ? turn.find("value") : turn.find("content");
        if (from == turn.end() || !from->is_string())
            return refuse(place + " has no \"from\" that is text");
        if (value == turn.end() || !value->is_string())
            return refuse(place + " has no \"value\" that is text");
        const auto& speaker = from->get_ref<const std::string&>();
        auto role = roleOf(speaker);
        if (!role)
            return refuse(place + " is said by \"" + speaker.substr(0, 40)
                + "\"; only human, gpt and system turns can be trained");
        ordered_json message = { { "role", std::move(*role) }, { "content", *value } };
        for (const char* key : { "weight", "loss_weight" }) {
            if (turn.contains(key) && !turn[key].is_null())
                message[key] = turn[key];
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

Read<std::vector<bool>> trainedMessages(const ordered_json& messages)
{
    std::vector<bool> trained;
    for (const auto& message : messages) {
        const size_t index = trained.size();
        trained.push_back(false);
        if (message["role"] != "assistant")
            continue;
        const auto content = message.find("content");
        const bool blank
            = content == message.end() || !content->is_string() || isBlank(content->get_ref<const std::string&>());
        if (blank && !callsTools(message))
            return refuse("the answer (turn " + std::to_string(index + 1) + ") is empty");
        auto counts = countsInLoss(message, index);
        if (!counts)
            return refuse(counts.error());
        trained.back() = *counts;
    }
    return trained;
}

} // namespace tunebench
