#include "core/data/json_text.h"

namespace tunebench {
namespace {

constexpr size_t maxNesting = 64; // JSON values are copied and written by recursion
constexpr size_t maxKeys = 4096; // ordered_json looks keys up one by one

bool isWithinBounds(std::string_view text)
{
    size_t depth = 0;
    size_t keys = 0;
    for (size_t i = 0; i < text.size() && depth <= maxNesting && keys <= maxKeys; ++i) {
        if (text[i] == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\';
        } else if (text[i] == '{' || text[i] == '[') {
            ++depth;
        } else if (text[i] == '}' || text[i] == ']') {
            depth -= depth > 0;
        } else if (text[i] == ':') {
            ++keys;
        }
    }
    return depth <= maxNesting && keys <= maxKeys;
}

} // namespace

nlohmann::ordered_json parsedStructure(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '[' && text[first] != '{') || !isWithinBounds(text))
        return nullptr;
    auto value = nlohmann::ordered_json::parse(text, nullptr, false);
    return value.is_structured() ? value : nullptr;
}

} // namespace tunebench
