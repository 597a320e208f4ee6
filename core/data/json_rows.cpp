#include "core/data/json_rows.h"

#include "core/data/text_checks.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

constexpr size_t maxNesting = 512;
constexpr size_t maxKeys = 4096; // ordered_json looks keys up one by one
constexpr size_t maxReason = 200; // bytes of a parser's message that are worth showing

struct Place {
    size_t line = 0;
    size_t column = 0;
};

/// Where byte `at` of the row's text stands in its file.
Place placeOf(const RawRow& row, size_t at)
{
    const std::string_view before = row.text.substr(0, at);
    const auto lines = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    if (lines == 0)
        return { row.line, row.column + at };
    return { row.line + lines, at - before.rfind('\n') };
}

std::string words(Place place)
{
    return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

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
    std::array<size_t, maxNesting + 1> keys {};
    size_t depth = 0;
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
            if (++keys[depth] > maxKeys)
                return "an object in it has more than 4096 keys";
            break;
        default:
            break;
        }
    }
    return {};
}

/// Why a file cannot be a dataset of JSON rows, judged by its name and first bytes.
Result<void> checkKind(const std::string& path, std::string_view text)
{
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension != ".json" && extension != ".jsonl" && extension != ".ndjson")
        return failure(
            "Cannot read " + path + " as a dataset: only .json and .jsonl files are read; convert it to one of them.");
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return failure("Cannot read " + path + ": it is UTF-16 text; save it as UTF-8.");
    if (text.starts_with("version https://git-lfs"))
        return failure("Cannot read " + path
            + ": it is a Git LFS pointer, not the data; run \"git lfs pull\" where it came from.");
    if (isBlank(text))
        return failure("Cannot read " + path + ": the file is empty; choose a file with at least one row.");
    return {};
}

} // namespace

Result<RowFile> openRowFile(const std::string& path)
{
    if (std::filesystem::is_directory(path))
        return failure("Cannot read " + path + " as a dataset: it is a folder; name the .json or .jsonl files in it.");
    auto content = MappedFile::open(path);
    if (!content)
        return tl::unexpected(content.error());
    if (auto kind = checkKind(path, content->text()); !kind)
        return tl::unexpected(kind.error());
    const bool oneRowALine = std::filesystem::path(path).extension() != ".json";
    auto rows = splitRowsOfJson(content->text(), oneRowALine);
    return RowFile { path, std::move(*content), std::move(rows) };
}

tl::expected<ordered_json, std::string> parseRow(const RawRow& row)
{
    if (!row.problem.empty())
        return tl::unexpected("not valid JSON at " + words({ row.line, row.column }) + ": " + std::string(row.problem));
    if (const size_t bad = firstInvalidUtf8(row.text); bad != std::string_view::npos) {
        const Place place = placeOf(row, bad);
        return tl::unexpected("not UTF-8 at line " + std::to_string(place.line) + ", byte "
            + std::to_string(place.column) + "; save the file as UTF-8");
    }
    if (const auto problem = checkBounds(row.text); !problem.empty())
        return tl::unexpected("the row at " + words({ row.line, row.column }) + " is refused: " + std::string(problem));
    try {
        auto value = ordered_json::parse(row.text);
        if (value.is_object())
            return value;
        return tl::unexpected(std::string("a row is an object {...}, this one is ") + kindOf(value));
    } catch (const nlohmann::json::parse_error& error) {
        const size_t at = std::clamp<size_t>(error.byte, 1, row.text.size() + 1) - 1;
        return tl::unexpected("not valid JSON at " + words(placeOf(row, at)) + ": " + reasonOf(error));
    } catch (const nlohmann::json::exception& error) {
        return tl::unexpected("not valid JSON at " + words({ row.line, row.column }) + ": " + error.what());
    }
}

} // namespace tunebench
