#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tunebench {

/// Walks over a JSON object of numbers, nulls and plain ASCII texts without spaces between them: the form in which
/// metrics are written. It stops at anything else, which is then a matter for the full parser; for this form it is
/// several times faster.
class FlatJsonScanner {
public:
    explicit FlatJsonScanner(std::string_view object);

    /// Takes the next key and its value; false at the end, and where the text is of another form.
    bool next(std::string_view& key, nlohmann::ordered_json& value);

    /// True when next() has come to the very end of the object.
    bool atEnd() const { return m_complete; }

private:
    bool take(char expected);
    bool takeText(std::string_view& text);
    bool takeValue(nlohmann::ordered_json& value);

    std::string_view m_rest;
    bool m_first = true;
    bool m_complete = false;
};

} // namespace tunebench
