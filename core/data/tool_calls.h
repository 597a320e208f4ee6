#pragma once

#include "core/data/record_fields.h"

namespace tunebench {

/// A tool call as templates expect it, {"type":"function","function":{"name","arguments":{...}}}, from one of the ways
/// in which files write it: this one, {name, arguments}, the JSON text of either; arguments may be JSON text as well
/// (OpenAI's way). Other keys (id) stay.
Read<nlohmann::ordered_json> toolCallOf(const nlohmann::ordered_json& given, const std::string& place);

/// A list of calls from a list, one call, or the JSON text of either.
Read<nlohmann::ordered_json> toolCallsOf(const nlohmann::ordered_json& given, const std::string& place);

} // namespace tunebench
