#pragma once

#include "core/config/run_config.h"
#include "core/data/row_source.h"

namespace tunebench {

/// Rows, damaged ones among them, that are looked at for the format.
inline constexpr size_t formatSampleRows = 10'000;

/// The format that the options give, or that most of the first rows show. An error, with the columns that were found
/// and those that formats need, where none does.
Result<DatasetFormat> findFormat(const RowSource& source, const RunConfig& config);

} // namespace tunebench
