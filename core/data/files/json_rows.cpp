#include "core/data/files/json_rows.h"

#include "core/data/files/text_checks.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

constexpr size_t maxNesting = 512;
constexpr size_t maxKeys = 4096; // ordered_json looks keys up one by one
constexpr size_t maxKeyWork = 100'000'000; // comparisons in all
constexpr size_t maxBytes = size_t { 64 } << 20; // of a row; no model learns from a longer one
constexpr size_t maxValues = 4'000'000; // each takes many times its size in memory
constexpr size_t maxReason = 200; // bytes of a parser's message that are worth showing

/// The library's message without its own error code and position, which counts from the row's start.
std::string reasonOf(const nlohmann::json::parse_error& error)
{
    std::string_view text = error.what();
    for (const std::string_view mark : { "] ", "column ", ": " }) {
        if (const size_t at = text.find(mark); at != std::string_view::npos)
            text.remove_prefix(at + mark.size());
    }
    return std::string(cutToCharacter(text, maxReason));
}

/// Bounds that keep a hostile row from costing more than its size: what is wrong, or nothing.
std::string_view checkBounds(std::string_view text)
{
    if (text.size() > maxBytes)
        return "it has more than 64 MB; split it into several rows";
    std::array<size_t, maxNesting + 1> keys {};
    size_t depth = 0;
    size_t values = 1;
    size_t keyWork = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '"':
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\';
            break;
        case '{':
        case '[':
            if (++depth > maxNesting)
                return "it is nested deeper than 512 levels";
            keys[depth] = 0;
            break;
        case '}':
        case ']':
            depth -= depth > 0;
            break;
        case ':':
            keyWork += ++keys[depth];
            if (keys[depth] > maxKeys || keyWork > maxKeyWork)
                return "an object in it has more than 4096 keys, or many have hundreds";
            break;
        case ',':
            if (++values > maxValues)
                return "it has more than 4 million values";
            break;
        default:
            break;
        }
    }
    return {};
}

} // namespace

ParsedRow parseJsonRow(const RawRow& row)
{
    if (!row.problem.empty())
        return tl::unexpected(
            "not valid JSON at " + inWords({ row.line, row.column }) + ": " + std::string(row.problem));
    if (auto problem = textProblem(row); !problem.empty())
        return tl::unexpected(std::move(problem));
    if (const auto problem = checkBounds(row.text); !problem.empty())
        return tl::unexpected(
            "the row at " + inWords({ row.line, row.column }) + " is refused: " + std::string(problem));
    try {
        auto value = ordered_json::parse(row.text);
        if (value.is_object())
            return value;
        return tl::unexpected(std::string("a row is an object {...}, this one is ") + kindOf(value));
    } catch (const nlohmann::json::parse_error& error) {
        const size_t at = std::clamp<size_t>(error.byte, 1, row.text.size() + 1) - 1;
        return tl::unexpected("not valid JSON at " + inWords(placeOf(row, at)) + ": " + reasonOf(error));
    } catch (const nlohmann::json::exception& error) {
        return tl::unexpected("not valid JSON at " + inWords({ row.line, row.column }) + ": " + error.what());
    }
}

} // namespace tunebench
