#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tunebench {

/// A finite decimal number that fills the whole text (spaces around it aside), by no locale; else nothing.
std::optional<double> parseReal(std::string_view text);

/// A whole number that fills the whole text; `4.0` and `1e3` count as they are exactly whole. Else nothing.
std::optional<int64_t> parseInteger(std::string_view text);

/// The whole number that a double is exactly, or nothing.
std::optional<int64_t> exactInteger(double value);

/// The shortest text that reads back as the same double, as people write it: 0.0002, 65536, 1e-8.
std::string numberText(double value);

/// "1.53": a number with so many digits after the point.
std::string fixedText(double value, int digits);

/// "812 MiB".
std::string bytesText(int64_t bytes);

/// The text without white space at its ends.
std::string_view trimmed(std::string_view text);

} // namespace tunebench
