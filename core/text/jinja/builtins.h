#pragma once

#include "core/text/jinja/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace tunebench::jinja {

/// A date and time of day without a zone.
struct DateTime {
    int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

/// Reads 2026-11-29, with T12:00 or T12:00:00 behind it where wanted; nothing when it is no such date.
std::optional<DateTime> parseDateTime(std::string_view iso);
/// The clock's local time.
DateTime currentDateTime();
/// Python's strftime in the C locale; throws for a directive that is not known.
std::string formatDateTime(const DateTime& time, std::string_view format);

/// range(...), dict(...) and the attributes of namespace(...).
Value makeRange(const Arguments& arguments);
Value makeDict(const Arguments& arguments);
void fillNamespace(Namespace& space, const Arguments& arguments);
/// Throws for the names that transformers refuses.
void checkNamespaceName(std::string_view name);

} // namespace tunebench::jinja
