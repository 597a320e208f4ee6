#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tunebench {

/// The list or object that a text spells in JSON; null where it spells none, or one that is nested deeper than 64
/// levels or has more than 4,096 keys.
nlohmann::ordered_json parsedStructure(std::string_view text);

} // namespace tunebench
