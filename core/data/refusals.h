#pragma once

#include "core/data/dataset.h"

#include <span>
#include <string>

namespace tunebench {

/// "120 x the answer is empty (first at line 4); ...": refused rows by reason, most frequent first; reasons
/// that differ in numbers alone count as one. The file is named where rows are of several.
std::string refusalSummary(std::span<const RefusedRow> refused);

} // namespace tunebench
