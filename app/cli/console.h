#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
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

/// Pushes out what was written as long as no more input waits, so that a program that asks line by line gets its
/// answers.
void flushWhenIdle(Console& console);

/// "1.53": a number with so many digits after the point.
std::string fixedText(double value, int digits);

/// "812 MiB".
std::string bytesText(int64_t bytes);

/// "2:07" or "1:02:07".
std::string durationText(double seconds);

} // namespace tunebench
