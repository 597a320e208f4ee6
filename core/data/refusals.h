#pragma once

#include "core/data/dataset.h"

#include <span>
#include <string>

namespace tunebench {

/// "120 x the answer is empty (first at data.json, line 4); ...": refused rows by reason, most frequent first; reasons
/// that differ in numbers alone count as one.
std::string refusalSummary(std::span<const RefusedRow> refused);

} // namespace tunebench
