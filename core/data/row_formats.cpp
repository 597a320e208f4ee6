#include "core/data/records.h"

#include "core/config/choices.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

struct FormatColumns {
    DatasetFormat format;
    std::string_view first;
    std::string_view second; ///< empty where one column is enough
};

/// In the order in which they are tried: alpaca files often have a `text` column as well.
constexpr std::array formats {
    FormatColumns { DatasetFormat::tokens, "input_ids", "" },
    FormatColumns { DatasetFormat::messages, "messages", "" },
    FormatColumns { DatasetFormat::sharegpt, "conversations", "" },
    FormatColumns { DatasetFormat::alpaca, "instruction", "output" },
    FormatColumns { DatasetFormat::promptCompletion, "prompt", "completion" },
    FormatColumns { DatasetFormat::text, "text", "" },
};

template <class Has> std::optional<DatasetFormat> firstThatFits(Has has)
{
    if (has("chosen") && has("rejected")) // pairs of preference hold a conversation too, but none to imitate
        return {};
    for (const auto& format : formats) {
        if (has(format.first) && (format.second.empty() || has(format.second)))
            return format.format;
    }
    return {};
}

} // namespace

std::optional<DatasetFormat> formatOfRow(const nlohmann::ordered_json& row)
{
    const auto present = [&](std::string_view key) { return row.contains(std::string(key)); };
    const auto filled = [&](std::string_view key) {
        const auto at = row.find(std::string(key));
        return at != row.end() && !at->is_null();
    };
    const auto format = firstThatFits(filled);
    return format ? format : firstThatFits(present);
}

bool hasColumnsOf(const nlohmann::ordered_json& row, DatasetFormat format)
{
    return std::any_of(formats.begin(), formats.end(), [&](const FormatColumns& columns) {
        return columns.format == format && row.contains(std::string(columns.first))
            && (columns.second.empty() || row.contains(std::string(columns.second)));
    });
}

std::string neededColumns()
{
    std::string words;
    for (const auto& format : formats) {
        words += words.empty() ? "" : format.format == formats.back().format ? " or " : ", ";
        words += format.first;
        if (!format.second.empty())
            words.append(" and ").append(format.second);
        if (const auto name = choiceName(format.format); name != format.first)
            words.append(" (").append(name).append(")");
    }
    return words;
}

} // namespace tunebench
