#pragma once

#include "core/text/jinja/value.h"

#include <nlohmann/json.hpp>

namespace tunebench::jinja {

/// The value as Python's json.loads gives it. Throws for integers over 64 bits and for nesting over the bound.
Value fromJson(const nlohmann::ordered_json& json);

} // namespace tunebench::jinja
