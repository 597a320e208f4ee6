#include "core/data/message_parts.h"

#include "core/data/tool_calls.h"

namespace tunebench {
namespace {

using nlohmann::ordered_json;

/// What a part says: under "text", "value" or the name of its type.
const ordered_json* valueOf(const ordered_json& part, const std::string& type)
{
    for (const std::string& key : { std::string("text"), std::string("value"), type }) {
        if (const auto at = part.find(key); at != part.end() && !at->is_null())
            return &*at;
    }
    return nullptr;
}

Read<void> appendText(std::string& text, const ordered_json* value, const std::string& place)
{
    if (value == nullptr || !value->is_string())
        return refuse(place + " has a part without text");
    text += value->get_ref<const std::string&>();
    return {};
}

} // namespace

Read<void> joinParts(ordered_json& message, const std::string& place)
{
    std::string text;
    std::string reasoning;
    ordered_json calls = ordered_json::array();
    for (const auto& part : message["content"]) {
        if (part.is_string()) {
            text += part.get_ref<const std::string&>();
            continue;
        }
        const auto type = part.is_object() ? part.find("type") : part.end();
        const std::string name
            = part.is_object() && type != part.end() && type->is_string() ? type->get<std::string>() : "";
        if (name == "text" || name == "reasoning" || name == "thinking") {
            if (auto added = appendText(name == "text" ? text : reasoning, valueOf(part, name), place); !added)
                return added;
        } else if (name == "tool_call") {
            const ordered_json* given = valueOf(part, name);
            auto call = toolCallOf(given != nullptr ? *given : part, place);
            if (!call)
                return refuse(call.error());
            calls.push_back(std::move(*call));
        } else {
            return refuse(place + " has a part that is neither text, reasoning nor a tool call; only these are known");
        }
    }
    message["content"] = std::move(text);
    if (!reasoning.empty())
        message["reasoning_content"] = std::move(reasoning);
    if (!calls.empty())
        message["tool_calls"] = std::move(calls);
    return {};
}

} // namespace tunebench
