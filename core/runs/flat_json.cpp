#include "core/runs/flat_json.h"

#include <algorithm>
#include <charconv>

namespace tunebench {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

template <class Number> bool readNumber(std::string_view text, nlohmann::ordered_json& value)
{
    Number number {};
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc {} || stop != text.data() + text.size()) {
        return false;
    }
    value = number;
    return true;
}

} // namespace

FlatJsonScanner::FlatJsonScanner(std::string_view object)
    : m_rest(object)
{
}

bool FlatJsonScanner::take(char expected)
{
    if (m_rest.empty() || m_rest.front() != expected) {
        return false;
    }
    m_rest.remove_prefix(1);
    return true;
}

bool FlatJsonScanner::takeText(std::string_view& text)
{
    if (!take('"')) {
        return false;
    }
    const size_t end = m_rest.find('"');
    if (end == std::string_view::npos) {
        return false;
    }
    text = m_rest.substr(0, end);
    m_rest.remove_prefix(end + 1);
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '\\'; });
}

bool FlatJsonScanner::takeValue(nlohmann::ordered_json& value)
{
    if (m_rest.starts_with('"')) {
        std::string_view text;
        const bool taken = takeText(text);
        value = text;
        return taken;
    }
    const std::string_view text = m_rest.substr(0, m_rest.find_first_of(",}"));
    m_rest.remove_prefix(text.size());
    if (text == "null") {
        value = nullptr;
        return true;
    }
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || !isDigit(digits.front()) || (digits.size() > 1 && digits[0] == '0' && isDigit(digits[1]))) {
        return false;
    }
    const size_t special = digits.find_first_not_of("0123456789");
    if (special == std::string_view::npos) {
        return readNumber<int64_t>(text, value);
    }
    const bool pointWithDigits
        = digits[special] != '.' || (special + 1 < digits.size() && isDigit(digits[special + 1]));
    return pointWithDigits && readNumber<double>(text, value);
}

bool FlatJsonScanner::next(std::string_view& key, nlohmann::ordered_json& value)
{
    if (m_complete || !take(m_first ? '{' : ',')) {
        return false;
    }
    m_first = false;
    if (!takeText(key) || !take(':') || !takeValue(value)) {
        return false;
    }
    if (m_rest == "}") {
        m_rest = {};
        m_complete = true;
    }
    return true;
}

} // namespace tunebench
