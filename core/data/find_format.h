#pragma once

#include "core/config/run_config.h"
#include "core/data/files/row_source.h"

namespace tunebench {

/// Rows, damaged ones among them, that are looked at for the format.
inline constexpr size_t formatSampleRows = 10'000;

struct FoundFormat {
    DatasetFormat format = DatasetFormat::automatic;
    std::string why; ///< "100 of 100 rows looked at have instruction and output; not read: url"
};

/// The format that the options give, or that most of the first rows show. An error, with the columns that were found
/// and those that formats need, where none does; also where dataset_columns names a column that no row has, or one
/// that rows of the format do not read.
Result<FoundFormat> findFormat(const RowSource& source, const RunConfig& config);

} // namespace tunebench
