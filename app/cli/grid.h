#pragma once

#include "core/config/options.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tunebench {

/// One option of a grid and the values that it takes.
struct GridAxis {
    std::string key;
    std::vector<std::string> values;
};

/// "batch_size=1,2,4"; an error says what the argument `option` wants.
Result<GridAxis> parseAxis(const std::string& option, const std::string& text);

/// One combination of a grid.
struct GridCell {
    ConfigChoice choice;
    std::vector<std::string> assignments; ///< "batch_size=1", one for each axis

    /// "batch_size=1 max_length=256".
    std::string title() const;
    /// The assignments as they were meant: {"batch_size": 1, "max_length": 256}.
    nlohmann::ordered_json set() const;
};

/// Every combination of `axes` (arguments of `option`), the last one changing fastest; one cell without axes.
Result<std::vector<GridCell>> gridCells(
    const ConfigChoice& base, const std::string& option, const std::vector<std::string>& axes);

} // namespace tunebench
