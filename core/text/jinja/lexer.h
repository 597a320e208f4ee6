#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench::jinja {

struct Token {
    enum class Kind { data, variableBegin, variableEnd, blockBegin, blockEnd, name, text, integer, real, symbol, end };

    Kind kind = Kind::end;
    std::string text; ///< the data, name, string (escapes resolved) or symbol
    int64_t integer = 0;
    double real = 0;
    int line = 1;
};

/// Splits a template as jinja2 3.1 does with trim_blocks and lstrip_blocks on. The last token is `end`.
/// Throws TemplateFailure with the line.
std::vector<Token> tokenize(std::string_view source);

/// The failure for a place in the template.
[[noreturn]] void failAt(int line, const std::string& message);

} // namespace tunebench::jinja
