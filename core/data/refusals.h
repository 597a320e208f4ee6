#pragma once

#include "core/data/dataset.h"

#include <span>
#include <string>

namespace tunebench {

/// Refused rows with one reason; reasons that differ in numbers alone count as one.
struct RefusalGroup {
    std::string reason; ///< of the first row
    size_t count = 0;
    std::vector<const RefusedRow*> first; ///< the first few rows, in order; they point into the rows given
};

/// Refused rows by reason, most frequent first.
std::vector<RefusalGroup> groupRefusals(std::span<const RefusedRow> refused);

/// Where the first rows of a group stand: "lines 4, 9, 12", with the file where `oneFile` is not true.
std::string refusalPlaces(const RefusalGroup& group, bool oneFile);

/// "120 x the answer is empty (first at line 4); ...": the reasons in one sentence; "there are no rows" where none was
/// refused. The file is named where rows are of several.
std::string refusalSummary(std::span<const RefusedRow> refused);

} // namespace tunebench
