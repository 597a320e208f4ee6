#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>

namespace tunebench {

/// A value read from a row, or the reason why the row cannot be used.
template <class T> using Read = tl::expected<T, std::string>;

inline tl::unexpected<std::string> refuse(std::string reason)
{
    return tl::unexpected(std::move(reason));
}

/// The value of a column; null where it is missing.
const nlohmann::ordered_json& columnOf(const nlohmann::ordered_json& row, const char* key);

/// A column that must hold text; one that may be absent reads as "" where it is missing or null.
Read<std::string> textOf(const nlohmann::ordered_json& row, const char* key, bool optional = false);

/// Text that is more than white space.
Read<std::string> answerOf(const nlohmann::ordered_json& row, const char* key);

/// A column as it is, or parsed where it holds the JSON text of a list or an object, as cells of a table do.
nlohmann::ordered_json structureOf(const nlohmann::ordered_json& row, const char* key);

/// The same of a column that may hold plain text as well: parsed only where it spells turns ({role, ...} or {from,
/// ...}).
nlohmann::ordered_json turnsOrText(const nlohmann::ordered_json& row, const char* key);

/// The list of tools that a conversation may use, also from JSON text; null where there are none.
Read<nlohmann::ordered_json> toolsOf(const nlohmann::ordered_json& row);

} // namespace tunebench
