#include "core/data/record_fields.h"

#include "core/data/files/text_checks.h"
#include "core/data/json_text.h"

namespace tunebench {

using nlohmann::ordered_json;

const ordered_json& columnOf(const ordered_json& row, const char* key)
{
    static const ordered_json null;
    const auto at = row.find(key);
    return at == row.end() ? null : *at;
}

Read<std::string> textOf(const ordered_json& row, const char* key, bool optional)
{
    const ordered_json& value = columnOf(row, key);
    if (value.is_string())
        return value.get_ref<const std::string&>();
    if (!value.is_null())
        return refuse("\"" + std::string(key) + "\" is " + kindOf(value) + ", not text");
    if (optional)
        return std::string();
    return refuse("\"" + std::string(key) + "\" is " + (row.contains(key) ? "null" : "missing"));
}

Read<std::string> answerOf(const ordered_json& row, const char* key)
{
    auto answer = textOf(row, key);
    if (answer && isBlank(*answer))
        return refuse("the answer (\"" + std::string(key) + "\") is empty");
    return answer;
}

ordered_json structureOf(const ordered_json& row, const char* key)
{
    const ordered_json& value = columnOf(row, key);
    if (!value.is_string())
        return value;
    ordered_json parsed = parsedStructure(value.get_ref<const std::string&>());
    return parsed.is_structured() ? parsed : value;
}

ordered_json turnsOrText(const ordered_json& row, const char* key)
{
    ordered_json value = structureOf(row, key);
    if (!columnOf(row, key).is_string())
        return value;
    const ordered_json* first = value.is_array() && !value.empty() ? &value.front() : &value;
    const bool speaks = first->is_object() && (first->contains("role") || first->contains("from"));
    return speaks ? value : columnOf(row, key);
}

Read<ordered_json> toolsOf(const ordered_json& row)
{
    ordered_json tools = structureOf(row, "tools");
    if (tools.is_string() && isBlank(tools.get_ref<const std::string&>()))
        tools = nullptr;
    if (!tools.is_null() && !tools.is_array())
        return refuse("\"tools\" is not a list, nor the JSON text of one");
    return tools.empty() ? ordered_json() : tools;
}

} // namespace tunebench
