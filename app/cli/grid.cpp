#include "app/cli/grid.h"

#include <algorithm>

namespace tunebench {

namespace {

/// Every combination of the axes as assignments.
std::vector<std::vector<std::string>> combinations(const std::vector<GridAxis>& axes)
{
    std::vector<std::vector<std::string>> all { {} };
    for (const GridAxis& axis : axes) {
        std::vector<std::vector<std::string>> longer;
        for (const auto& some : all) {
            for (const std::string& value : axis.values) {
                longer.push_back(some);
                longer.back().push_back(axis.key + "=" + value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

} // namespace

Result<GridAxis> parseAxis(const std::string& option, const std::string& text)
{
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        return failure(option + " wants key=a,b,c, such as batch_size=1,2,4; \"" + text + "\" is not of that form.");
    }
    GridAxis axis { text.substr(0, equals), {} };
    for (size_t begin = equals + 1; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        axis.values.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return axis;
}

std::string GridCell::title() const
{
    std::string title;
    for (const std::string& assignment : assignments) {
        title += (title.empty() ? "" : " ") + assignment;
    }
    return title;
}

nlohmann::ordered_json GridCell::set() const
{
    nlohmann::ordered_json set = nlohmann::ordered_json::object();
    for (const std::string& assignment : assignments) {
        const std::string key = assignment.substr(0, assignment.find('='));
        set[key] = optionValue(choice.values, key);
    }
    return set;
}

Result<std::vector<GridCell>> gridCells(
    const ConfigChoice& base, const std::string& option, const std::vector<std::string>& texts)
{
    std::vector<GridAxis> axes;
    for (const std::string& text : texts) {
        auto axis = parseAxis(option, text);
        if (!axis) {
            return tl::unexpected(axis.error());
        }
        axes.push_back(std::move(*axis));
    }
    std::vector<GridCell> cells;
    for (auto& assignments : combinations(axes)) {
        GridCell cell { base, std::move(assignments) };
        for (const std::string& assignment : cell.assignments) {
            if (const auto set = applyAssignment(cell.choice, assignment); !set) {
                return tl::unexpected(set.error());
            }
        }
        cells.push_back(std::move(cell));
    }
    return cells;
}

} // namespace tunebench
