#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

namespace tunebench {

/// One key of a JSON object and the member of `Record` that holds its value.
template <class Record> struct JsonField {
    const char* key;
    std::variant<int64_t Record::*, double Record::*, std::optional<int64_t> Record::*, std::optional<double> Record::*,
        std::string Record::*>
        member;
};

/// A number as JSON; null for what is not finite, which JSON cannot hold.
inline nlohmann::ordered_json jsonNumber(double value)
{
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// Adds every field to `object`; what is absent or not finite becomes null.
template <class Record>
void writeFields(nlohmann::ordered_json& object, const Record& record, std::span<const JsonField<Record>> fields)
{
    const auto value = [&](auto member) -> nlohmann::ordered_json {
        using Type = std::decay_t<decltype(record.*member)>;
        if constexpr (std::is_same_v<Type, double>) {
            return jsonNumber(record.*member);
        } else if constexpr (std::is_same_v<Type, std::optional<double>>) {
            return record.*member ? jsonNumber(*(record.*member)) : nlohmann::ordered_json();
        } else if constexpr (std::is_same_v<Type, std::optional<int64_t>>) {
            return record.*member ? nlohmann::ordered_json(*(record.*member)) : nlohmann::ordered_json();
        } else {
            return record.*member;
        }
    };
    for (const JsonField<Record>& field : fields) {
        object[field.key] = std::visit(value, field.member);
    }
}

/// Puts one value into a member; null leaves the member as it is. False when the type is another.
template <class Record>
bool readField(Record& record, const JsonField<Record>& field, const nlohmann::ordered_json& value)
{
    if (value.is_null()) {
        return true;
    }
    const auto read = [&](auto member) {
        using Type = std::decay_t<decltype(record.*member)>;
        if constexpr (std::is_same_v<Type, std::string>) {
            return value.is_string() ? (value.get_to(record.*member), true) : false;
        } else if constexpr (std::is_same_v<Type, int64_t> || std::is_same_v<Type, std::optional<int64_t>>) {
            return value.is_number_integer() ? (record.*member = value.template get<int64_t>(), true) : false;
        } else {
            return value.is_number() ? (record.*member = value.template get<double>(), true) : false;
        }
    };
    return std::visit(read, field.member);
}

/// Reads every field that `object` has; null and missing keys leave the member as it is. False when a value has
/// another type than its field.
template <class Record>
bool readFields(const nlohmann::ordered_json& object, Record& record, std::span<const JsonField<Record>> fields)
{
    for (const JsonField<Record>& field : fields) {
        const auto found = object.find(field.key);
        if (found != object.end() && !readField(record, field, *found)) {
            return false;
        }
    }
    return true;
}

} // namespace tunebench
