#pragma once

#include "core/text/jinja/value.h"

#include <string_view>

namespace tunebench::jinja {

using MethodFunction = Value (*)(const Value& self, const Arguments& arguments);

/// The method of a str, list, tuple or dict; null where the type has none of that name, and for methods that
/// would change a value. A method of Python's that is not supported fails when it is called.
MethodFunction findMethod(const Value& self, std::string_view name);
MethodFunction findTextMethod(std::string_view name);

/// True for the methods that jinja2's immutable sandbox hides.
bool isHiddenMethod(const Value& self, std::string_view name);

} // namespace tunebench::jinja
