#pragma once

#include "core/text/jinja/budget.h"
#include "core/text/jinja/value.h"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace tunebench::jinja {

using FilterFunction = Value (*)(const Value& input, const Arguments& arguments, Budget& budget);
using TestFunction = bool (*)(const Value& input, const Arguments& arguments);

/// Null for names that are not known.
FilterFunction findFilter(std::string_view name);
TestFunction findTest(std::string_view name);

/// Filters in several files, joined by findFilter.
struct NamedFilter {
    std::string_view name;
    FilterFunction function;
};
FilterFunction findTextFilter(std::string_view name);
FilterFunction findSequenceFilter(std::string_view name);

/// The arguments under the names of the parameters, as Python binds them; empty where not given.
/// Throws when there are too many or one has an unknown name.
std::vector<std::optional<Value>> bind(
    std::string_view function, const Arguments& arguments, std::initializer_list<std::string_view> parameters);

/// The integer or the truth of an argument, or `fallback` where it is not given.
int64_t integerOr(const std::optional<Value>& argument, int64_t fallback);
bool truthOr(const std::optional<Value>& argument, bool fallback);
/// The text of an argument; throws for another type.
const std::string& textOf(const Value& value, std::string_view what);

/// transformers' tojson: Python's json.dumps.
Value toJson(const Value& input, const Arguments& arguments, Budget& budget);

} // namespace tunebench::jinja
