#include "core/text/tokenizer/component_json.h"

#include "core/text/utf8.h"

namespace tunebench {

using nlohmann::json;

namespace {

const json nothing;

Result<void> flattenInto(
    std::vector<ComponentReader>& components, const json& value, const std::string& role, const char* listKey)
{
    const Result<ComponentReader> component = ComponentReader::open(value, role);
    if (!component) {
        return tl::unexpected(component.error());
    }
    if (component->type() != "Sequence") {
        components.push_back(*component);
        return {};
    }
    const Result<const json*> parts = component->list(listKey);
    if (!parts) {
        return tl::unexpected(parts.error());
    }
    for (const json& part : **parts) {
        if (Result<void> added = flattenInto(components, part, role, listKey); !added) {
            return added;
        }
    }
    return {};
}

} // namespace

ComponentReader::ComponentReader(const json& value, std::string role, std::string type)
    : m_json(&value)
    , m_role(std::move(role))
    , m_type(std::move(type))
{
}

Result<ComponentReader> ComponentReader::open(const json& value, std::string role)
{
    const auto type = value.is_object() ? value.find("type") : value.end();
    if (!value.is_object() || type == value.end() || !type->is_string()) {
        return failure("a " + role + " must be an object with a \"type\"");
    }
    return ComponentReader(value, std::move(role), type->get<std::string>());
}

const json& ComponentReader::member(const char* key) const
{
    const auto entry = m_json->find(key);
    return entry == m_json->end() ? nothing : *entry;
}

Result<bool> ComponentReader::flag(const char* key, bool fallback) const
{
    const json& value = member(key);
    if (value.is_null()) {
        return fallback;
    }
    return value.is_boolean() ? Result<bool>(value.get<bool>()) : wrong(key, "true or false");
}

Result<std::string> ComponentReader::text(const char* key) const
{
    const json& value = member(key);
    return value.is_string() ? Result<std::string>(value.get<std::string>()) : wrong(key, "a string");
}

Result<std::string> ComponentReader::text(const char* key, std::string fallback) const
{
    return member(key).is_null() ? std::move(fallback) : text(key);
}

Result<std::string> ComponentReader::character(const char* key, std::string fallback) const
{
    Result<std::string> value = text(key, std::move(fallback));
    if (value && (value->empty() || utf8Length(value->front()) != value->size())) {
        return wrong(key, "one character");
    }
    return value;
}

Result<size_t> ComponentReader::count(const char* key) const
{
    const json& value = member(key);
    return value.is_number_integer() && value >= 0 ? Result<size_t>(value.get<size_t>())
                                                   : wrong(key, "a number from 0 up");
}

Result<const json*> ComponentReader::list(const char* key) const
{
    const json& value = member(key);
    return value.is_array() ? Result<const json*>(&value) : wrong(key, "a list");
}

tl::unexpected<Error> ComponentReader::wrong(std::string_view key, std::string_view expected) const
{
    return failure(
        "\"" + std::string(key) + "\" of the " + m_role + " \"" + m_type + "\" must be " + std::string(expected));
}

tl::unexpected<Error> ComponentReader::unknownType(std::string_view known) const
{
    return failure("the " + m_role + " \"" + m_type + "\" is not known; Tunebench knows " + std::string(known));
}

Result<std::vector<ComponentReader>> flattenSequence(const json& value, const std::string& role, const char* listKey)
{
    std::vector<ComponentReader> components;
    if (!value.is_null()) {
        if (const Result<void> flattened = flattenInto(components, value, role, listKey); !flattened) {
            return tl::unexpected(flattened.error());
        }
    }
    return components;
}

} // namespace tunebench
