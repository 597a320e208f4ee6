#pragma once

#include "core/data/row_encoder.h"

#include <optional>

namespace tunebench {

/// What became of one row of a file.
struct RowOutcome {
    std::vector<std::string> columns;
    std::optional<EncodedRow> row; ///< an empty one where rows are not encoded
    std::string reason; ///< of a row that is refused
    bool readable = true; ///< it is an object
};

} // namespace tunebench
