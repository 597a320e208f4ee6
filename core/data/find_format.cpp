#include "core/data/find_format.h"

#include "core/config/choices.h"
#include "core/data/columns.h"
#include "core/data/row_formats.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

constexpr size_t sampleRows = 100; ///< whose columns tell the format

/// What the first rows hold.
struct Sample {
    std::array<size_t, ChoiceNames<DatasetFormat>::names.size()> votes {}; ///< rows that look like each format
    Columns columns; ///< by the table's own names
    size_t objects = 0;
    std::string firstProblem; ///< of the first row that cannot be read
};

Sample sampleOf(const RowSource& source, const ColumnMap& map)
{
    Sample sample;
    for (size_t i = 0; i < std::min(source.count(), formatSampleRows) && sample.objects < sampleRows; ++i) {
        auto object = source.read(i);
        if (!object) {
            if (sample.firstProblem.empty())
                sample.firstProblem = object.error();
            continue;
        }
        ++sample.objects;
        sample.columns.add(Columns::of(*object));
        renameColumns(*object, map);
        if (const auto shown = formatOfRow(*object, map))
            ++sample.votes[static_cast<size_t>(*shown)];
    }
    return sample;
}

std::string listed(const std::vector<std::string>& names)
{
    constexpr size_t most = 20;
    std::string words;
    for (size_t i = 0; i < std::min(names.size(), most); ++i)
        words += (i > 0 ? ", " : "") + names[i];
    return names.empty() ? "none" : words + (names.size() > most ? ", ..." : "");
}

/// Whether every column that dataset_columns names is there and of use.
Result<void> checkMap(
    const Sample& sample, const ColumnMap& map, const std::string& names, std::optional<DatasetFormat> format)
{
    const auto& found = sample.columns.names();
    for (const auto& [ours, theirs] : map) {
        if (std::find(found.begin(), found.end(), theirs) == found.end())
            return failure("dataset_columns takes \"" + ours + "\" from a column \"" + theirs + "\", which " + names
                + " does not have; its columns are " + listed(found) + ".");
        if (!format)
            continue;
        const auto& columns = rowFormat(*format).columns;
        if (std::none_of(
                columns.begin(), columns.end(), [&name = ours](const auto& column) { return column.name == name; }))
            return failure("dataset_columns names \"" + ours + "\", which rows of " + std::string(choiceName(*format))
                + " do not have; choose another dataset_format or another name.");
    }
    return {};
}

/// The columns by which the format was known, and those that it leaves alone.
std::string reason(const Sample& sample, DatasetFormat format, const ColumnMap& map)
{
    std::string known;
    std::vector<std::string> rest = sample.columns.names();
    for (const FormatColumn& column : rowFormat(format).columns) {
        const auto mapped = map.find(std::string(column.name));
        const auto name = mapped != map.end() ? std::optional(mapped->second) : nameOf(column, sample.columns.names());
        if (!name)
            continue;
        rest.erase(std::remove(rest.begin(), rest.end(), *name), rest.end());
        if (!column.needed)
            continue;
        known += (known.empty() ? "" : " and ") + *name;
        if (*name != column.name)
            known += " (as " + std::string(column.name) + ")";
    }
    return std::to_string(sample.votes[static_cast<size_t>(format)]) + " of " + std::to_string(sample.objects)
        + " rows looked at have " + known + (rest.empty() ? "" : "; not read: " + listed(rest));
}

} // namespace

Result<FoundFormat> findFormat(const RowSource& source, const RunConfig& config)
{
    const ColumnMap& map = config.datasetColumns;
    const bool isGiven = config.datasetFormat != DatasetFormat::automatic;
    if (isGiven && map.empty())
        return FoundFormat { config.datasetFormat, "dataset_format says so" };
    const Sample sample = sampleOf(source, map);
    if (sample.objects == 0)
        return failure("No row of " + source.names()
            + " can be read: " + (sample.firstProblem.empty() ? "it holds no rows" : sample.firstProblem) + ".");
    const auto given = isGiven ? std::optional(config.datasetFormat) : std::nullopt;
    if (auto checked = checkMap(sample, map, source.names(), given); !checked)
        return tl::unexpected(checked.error());
    if (given)
        return FoundFormat { *given, "dataset_format says so" };
    const auto* const most = std::max_element(sample.votes.begin(), sample.votes.end());
    if (*most == 0)
        return failure("Cannot tell the format of " + source.names() + ": its columns are "
            + listed(sample.columns.names()) + "; needed are " + neededColumns()
            + ". Name other columns in dataset_columns, such as {\"prompt\": \"q\", \"completion\": \"a\"}."
            + (sample.firstProblem.empty() ? ""
                                           : " Some rows cannot be read; the first: " + sample.firstProblem + "."));
    const auto format = static_cast<DatasetFormat>(most - sample.votes.begin());
    return FoundFormat { format, reason(sample, format, map) };
}

} // namespace tunebench
