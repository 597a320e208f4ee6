#include "core/config/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tunebench {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view space = " \t\r\n\v\f";
    const size_t first = text.find_first_not_of(space);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

namespace {

template <class Number> std::optional<Number> parseWhole(std::string_view text)
{
    Number value {};
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc {} || stop != end) {
        return std::nullopt;
    }
    return value;
}

} // namespace

std::optional<double> parseReal(std::string_view text)
{
    const auto value = parseWhole<double>(trimmed(text));
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<int64_t> parseInteger(std::string_view text)
{
    if (const auto whole = parseWhole<int64_t>(trimmed(text))) {
        return whole;
    }
    const auto real = parseReal(text);
    return real ? exactInteger(*real) : std::nullopt;
}

std::optional<int64_t> exactInteger(double value)
{
    constexpr double limit = 9223372036854775808.0;
    if (!(value >= -limit && value < limit) || std::trunc(value) != value) {
        return std::nullopt;
    }
    return static_cast<int64_t>(value);
}

std::string numberText(double value)
{
    const double size = std::abs(value);
    const bool plain = value == 0 || (size >= 1e-5 && size < 1e16);
    std::array<char, 64> buffer {};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
        plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text(buffer.data(), written.ptr);
    const size_t exponent = text.find('e');
    if (exponent == std::string::npos) {
        return text;
    }
    const size_t zeros = text.find_first_not_of('0', exponent + 2);
    return text.erase(exponent + 2, zeros - exponent - 2);
}

std::string fixedText(double value, int digits)
{
    std::array<char, 400> buffer {};
    const auto end
        = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
    return { buffer.data(), end.ptr };
}

std::string bytesText(int64_t bytes)
{
    constexpr std::array units { "bytes", "KiB", "MiB", "GiB", "TiB" };
    constexpr double step = 1024;
    auto size = static_cast<double>(bytes);
    size_t unit = 0;
    while (std::abs(size) >= step && unit + 1 < units.size()) {
        size /= step;
        ++unit;
    }
    return fixedText(size, unit < 3 ? 0 : 2) + " " + units.at(unit);
}

} // namespace tunebench
