#pragma once

#include "core/text/jinja/ast.h"

namespace tunebench::jinja {

/// Python's arithmetic and comparisons; throws for types that do not go together and for integers over 64 bits.
Value apply(Operator operation, const Value& left, const Value& right);
Value negate(const Value& value);
Value positive(const Value& value);

/// `value in container`
bool contains(const Value& container, const Value& value);

/// base[index]: undefined where there is none. Without what only getattr would find.
Value itemOf(const Value& base, const Value& index);
/// base[begin:end:step]; bounds that are None are open. Unlike other subscripts it throws where Python does.
Value sliceOf(const Value& base, const Value& begin, const Value& end, const Value& step);

/// jinja2's base.name and base["name"], which look for methods and keys in opposite order.
Value attributeOf(const Value& base, const std::string& name);
Value subscriptOf(const Value& base, const Value& index);

/// Python's `text % arguments`.
std::string formatPercent(const std::string& format, const Value& arguments);

} // namespace tunebench::jinja
