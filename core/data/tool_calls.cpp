#include "core/data/tool_calls.h"

#include "core/data/json_text.h"

namespace tunebench {
namespace {

using nlohmann::ordered_json;

ordered_json structured(const ordered_json& value)
{
    return value.is_string() ? parsedStructure(value.get_ref<const std::string&>()) : value;
}

} // namespace

Read<ordered_json> toolCallOf(const ordered_json& given, const std::string& place)
{
    ordered_json call = structured(given);
    if (!call.is_object())
        return refuse(place + " is not a tool call {name, arguments}, nor the JSON text of one");
    if (!call.contains("function")) {
        ordered_json whole = { { "type", "function" } };
        if (const auto id = call.find("id"); id != call.end()) {
            whole["id"] = std::move(*id);
            call.erase("id");
        }
        call.erase("type");
        whole["function"] = std::move(call);
        call = std::move(whole);
    }
    ordered_json& function = call["function"];
    if (!function.is_object() || !function.contains("name") || !function["name"].is_string())
        return refuse(place + " calls a tool without a \"name\"");
    if (!function.contains("arguments") && function.contains("parameters")) {
        function["arguments"] = std::move(function["parameters"]);
        function.erase("parameters");
    }
    ordered_json& arguments = function["arguments"];
    if (arguments.is_null())
        arguments = ordered_json::object();
    if (ordered_json parsed = structured(arguments); parsed.is_structured())
        arguments = std::move(parsed);
    return call;
}

Read<ordered_json> toolCallsOf(const ordered_json& given, const std::string& place)
{
    ordered_json list = structured(given);
    if (list.is_object())
        list = ordered_json::array({ std::move(list) });
    if (!list.is_array() || list.empty())
        return refuse(place + " is not a tool call {name, arguments}, nor the JSON text of one");
    ordered_json calls = ordered_json::array();
    for (const auto& one : list) {
        auto call = toolCallOf(one, place);
        if (!call)
            return call;
        calls.push_back(std::move(*call));
    }
    return calls;
}

} // namespace tunebench
