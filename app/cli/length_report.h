#pragma once

#include "core/data/length_statistics.h"

#include <iosfwd>
#include <nlohmann/json.hpp>

namespace tunebench {

/// What the lengths of rows mean for a run, as `inspect` gives it: mean, p50, p90, p95, p99 and longest; what
/// `max_length` cuts on each side; the suggestion; what padding would waste by batch size and order; a histogram. Null
/// without rows.
nlohmann::ordered_json lengthReport(std::span<const RowExtent> rows, const RunConfig& config);

/// The same in words, for a terminal.
void writeLengthReport(std::ostream& out, const nlohmann::ordered_json& report);

} // namespace tunebench
