#pragma once

#include "core/data/files/unpack.h"

namespace tunebench {

/// The rows of a Parquet file as JSON, an object a line, so that a row's line is its number. An error, with `path`,
/// where the file is cut or damaged, or a column has a type that JSON has not, which it names.
Result<ConvertedContent> convertParquet(
    std::string_view content, const std::string& path, size_t maxRows, const std::stop_token& stop);

/// What a Parquet file begins and ends with.
inline constexpr std::string_view parquetMark = "PAR1";

} // namespace tunebench
