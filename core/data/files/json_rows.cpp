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

/// What is wrong and what to do about it, for what the library says in terms of its own.
std::string_view knownReason(std::string_view message)
{
    struct Known {
        std::string_view mark, reason;
    };
    constexpr std::array<Known, 9> known { {
        { ": surrogate ", "half of a surrogate pair stands alone; write both \\u halves, or the character itself" },
        { "number overflow", "a number is too large; write it as a text, or a smaller one" },
        { "unexpected end of input", "the row ends too early; close what is open in it, or get the file again" },
        { "expected end of input", "something follows the row; put each row on a line of its own" },
        { "missing closing quote", "a text is not closed; close it with a quote" },
        { "must be escaped", "a control character stands in a text; write a line break as \\n, a tab as \\t" },
        { "forbidden character after backslash", "a backslash begins no known escape; write a backslash as \\\\" },
        { "must be followed by 4 hex digits",
            "\\u is not followed by 4 hexadecimal digits; write a backslash as \\\\" },
        { "expected object key",
            "a key is no text in double quotes; write \"key\": value, with no comma after the last" },
    } };
    const auto* const at = std::find_if(
        known.begin(), known.end(), [&](const Known& one) { return message.find(one.mark) != std::string_view::npos; });
    return at == known.end() ? std::string_view() : at->reason;
}

/// The library's message in plain words: without its error code and its position, which counts from the row's start.
std::string reasonOf(std::string_view message)
{
    if (const auto reason = knownReason(message); !reason.empty())
        return std::string(reason);
    for (const std::string_view mark : { "] ", "column ", ": ", " - " }) {
        if (const size_t at = message.find(mark); at != std::string_view::npos)
            message.remove_prefix(at + mark.size());
    }
    return std::string(cutToCharacter(message, maxReason)) + "; correct it there";
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
                return "it is nested deeper than 512 levels; make it flatter";
            keys[depth] = 0;
            break;
        case '}':
        case ']':
            depth -= depth > 0;
            break;
        case ':':
            keyWork += ++keys[depth];
            if (keys[depth] > maxKeys || keyWork > maxKeyWork)
                return "an object in it has more than 4096 keys, or many have hundreds; write fewer columns";
            break;
        case ',':
            if (++values > maxValues)
                return "it has more than 4 million values; split it into several rows";
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
        return tl::unexpected(std::string("a row is an object {...}, this one is ") + kindOf(value)
            + "; write it with column names, such as {\"text\": ...}");
    } catch (const nlohmann::json::parse_error& error) {
        const size_t at = std::clamp<size_t>(error.byte, 1, row.text.size() + 1) - 1;
        return tl::unexpected("not valid JSON at " + inWords(placeOf(row, at)) + ": " + reasonOf(error.what()));
    } catch (const nlohmann::json::exception& error) {
        return tl::unexpected("not valid JSON at " + inWords({ row.line, row.column }) + ": " + reasonOf(error.what()));
    }
}

} // namespace tunebench
