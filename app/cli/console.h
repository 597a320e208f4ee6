#pragma once

#include "core/base/result.h"
#include "core/config/number_text.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tunebench {

/// Where a command reads and writes. With `json`, nothing but JSON goes to `out`.
struct Console {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool json = false;
};

/// Writes a value on one line (bytes that are not UTF-8 as U+FFFD).
void writeJsonLine(std::ostream& out, const nlohmann::ordered_json& value);

/// A value of one line of input, or an error that names the line. Nesting is bounded.
Result<nlohmann::ordered_json> parseJsonLine(const std::string& line, size_t number, const std::string& wanted);

/// Answers each line of input (numbered from 1) with a line of JSON, at once where the other side waits. An error of
/// `answer` ends it.
Result<void> answerLines(
    Console& console, const std::function<Result<nlohmann::ordered_json>(const std::string&, size_t)>& answer);

/// The value, or null.
template <class Value> nlohmann::ordered_json orNull(const std::optional<Value>& value)
{
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// "2:07" or "1:02:07".
std::string durationText(double seconds);

} // namespace tunebench
