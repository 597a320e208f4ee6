#include "core/data/row_formats.h"

#include "core/config/choices.h"
#include "core/data/files/text_checks.h"

#include <algorithm>
#include <utility>

namespace tunebench {
namespace {

using nlohmann::ordered_json;

bool sameButForCase(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && lowered(a) == lowered(b);
}

/// The column in a row under any of its names.
ordered_json::const_iterator find(const ordered_json& row, const FormatColumn& column)
{
    if (const auto at = row.find(std::string(column.name)); at != row.end())
        return at;
    const auto named = [&](std::string_view name) {
        auto at = row.begin();
        while (at != row.end() && !sameButForCase(at.key(), name))
            ++at;
        return at;
    };
    auto at = named(column.name);
    for (size_t i = 0; at == row.end() && i < column.others.size(); ++i)
        at = named(column.others[i]);
    return at;
}

template <class Has> std::optional<DatasetFormat> firstThatFits(const ColumnMap& map, Has has)
{
    const auto reads = [](const RowFormat& format, const std::string& name) {
        return std::any_of(format.columns.begin(), format.columns.end(),
            [&](const FormatColumn& column) { return column.name == name; });
    };
    for (const RowFormat& format : rowFormats()) {
        const bool readsMapped
            = std::all_of(map.begin(), map.end(), [&](const auto& pair) { return reads(format, pair.first); });
        const bool hasNeeded = std::all_of(format.columns.begin(), format.columns.end(),
            [&](const FormatColumn& column) { return !column.needed || has(column); });
        if (readsMapped && hasNeeded)
            return format.format;
    }
    return {};
}

} // namespace

std::span<const RowFormat> rowFormats()
{
    using F = DatasetFormat;
    // Pairs of preference may hold a conversation as well, and alpaca files often have a `text` column.
    static const std::vector<RowFormat> formats {
        { F::preference,
            { { "chosen" }, { "rejected" }, { "prompt", false }, { "conversations", false }, { "messages", false },
                { "system", false }, { "tools", false } } },
        { F::tokens, { { "input_ids" }, { "labels", false } } },
        { F::messages, { { "messages" }, { "tools", false } } },
        { F::sharegpt, { { "conversations" }, { "system", false }, { "tools", false } } },
        { F::alpaca,
            { { "instruction" }, { "output", true, { "response" } }, { "input", false, { "context" } },
                { "system", false }, { "history", false } } },
        { F::promptCompletion, { { "prompt" }, { "completion" }, { "tools", false } } },
        { F::questionAnswer,
            { { "question", true, { "query", "질문" } }, { "answer", true, { "response", "답변", "답", "대답" } },
                { "system", false } } },
        { F::text, { { "text" } } },
    };
    return formats;
}

const RowFormat& rowFormat(DatasetFormat format)
{
    const auto formats = rowFormats();
    return *std::find_if(formats.begin(), formats.end(), [&](const RowFormat& one) { return one.format == format; });
}

void renameColumns(ordered_json& row, const ColumnMap& map)
{
    std::vector<std::pair<std::string, ordered_json>> renamed;
    for (const auto& [ours, theirs] : map) {
        if (const auto at = row.find(theirs); at != row.end())
            renamed.emplace_back(ours, *at);
    }
    for (const auto& [ours, theirs] : map)
        row.erase(theirs);
    for (auto& [name, value] : renamed)
        row[name] = std::move(value);
}

void useFormatNames(ordered_json& row, DatasetFormat format)
{
    for (const FormatColumn& column : rowFormat(format).columns) {
        const auto at = find(row, column);
        if (at == row.end() || at.key() == column.name)
            continue;
        ordered_json value = std::move(row[at.key()]);
        row.erase(at);
        row[std::string(column.name)] = std::move(value);
    }
}

std::optional<std::string> nameOf(const FormatColumn& column, std::span<const std::string> names)
{
    ordered_json row = ordered_json::object();
    for (const auto& name : names)
        row[name] = nullptr;
    const auto at = find(row, column);
    return at == row.end() ? std::nullopt : std::optional(at.key());
}

std::optional<DatasetFormat> formatOfRow(const ordered_json& row, const ColumnMap& map)
{
    const auto filled = [&](const FormatColumn& column) {
        const auto at = find(row, column);
        return at != row.end() && !at->is_null();
    };
    const auto present = [&](const FormatColumn& column) { return find(row, column) != row.end(); };
    const auto format = firstThatFits(map, filled);
    return format ? format : firstThatFits(map, present);
}

bool hasColumnsOf(const ordered_json& row, DatasetFormat format)
{
    const auto& columns = rowFormat(format).columns;
    return std::all_of(columns.begin(), columns.end(),
        [&](const FormatColumn& column) { return !column.needed || find(row, column) != row.end(); });
}

std::string neededColumns()
{
    std::string words;
    for (const RowFormat& format : rowFormats()) {
        words += words.empty() ? "" : format.format == rowFormats().back().format ? " or " : ", ";
        std::string needed;
        for (const FormatColumn& column : format.columns) {
            if (column.needed)
                needed.append(needed.empty() ? "" : " and ").append(column.name);
        }
        words += needed;
        if (const auto name = choiceName(format.format); name != needed)
            words.append(" (").append(name).append(")");
    }
    return words;
}

} // namespace tunebench
