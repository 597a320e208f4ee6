#include "core/data/find_format.h"

#include "core/data/columns.h"
#include "core/data/records.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

constexpr size_t sampleRows = 100; ///< whose columns tell the format

std::string listed(const std::vector<std::string>& names)
{
    constexpr size_t most = 20;
    std::string words;
    for (size_t i = 0; i < std::min(names.size(), most); ++i)
        words += (i > 0 ? ", " : "") + names[i];
    return names.empty() ? "none" : words + (names.size() > most ? ", ..." : "");
}

} // namespace

Result<DatasetFormat> findFormat(const RowSource& source, const RunConfig& config)
{
    if (config.datasetFormat != DatasetFormat::automatic)
        return config.datasetFormat;
    std::array<size_t, static_cast<size_t>(DatasetFormat::tokens) + 1> votes {};
    Columns columns;
    size_t objects = 0;
    std::string firstProblem = "it holds no rows";
    for (size_t i = 0; i < std::min(source.count(), formatSampleRows) && objects < sampleRows; ++i) {
        const auto object = source.read(i);
        if (i == 0 && !object)
            firstProblem = object.error();
        if (!object)
            continue;
        ++objects;
        columns.add(Columns::of(*object));
        if (const auto shown = formatOfRow(*object))
            ++votes[static_cast<size_t>(*shown)];
    }
    const auto* const most = std::max_element(votes.begin(), votes.end());
    if (*most > 0)
        return static_cast<DatasetFormat>(most - votes.begin());
    if (objects == 0)
        return failure("No row of " + source.names() + " can be read: " + firstProblem + ".");
    return failure("Cannot tell the format of " + source.names() + ": its columns are " + listed(columns.names())
        + "; needed are " + neededColumns() + ".");
}

} // namespace tunebench
