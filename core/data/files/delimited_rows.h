#pragma once

#include "core/base/result.h"
#include "core/data/files/row_index.h"

namespace tunebench {

/// A text of rows and cells (RFC 4180, and what spreadsheets make of it): its first row names the columns.
struct DelimitedTable {
    char separator = ',';
    std::vector<std::string> columns;
    RowIndex rows; ///< those after the first
    std::vector<std::string> notices;
};

/// Finds separator, columns and rows. The separator is the one of , ; tab and | with which most rows have as many cells
/// as the first (`preferred` where several do), or what a first line "sep=;" says. Cells may be quoted, with quotes
/// doubled inside and line breaks and separators as they are; rows end with LF, CR LF or CR; blank lines are skipped. A
/// quote that is never closed damages its row alone. Columns without a name are named after their place. An error where
/// a name stands twice.
Result<DelimitedTable> splitDelimited(
    std::string_view text, char preferred, const std::string& path, const SplitLimits& limits = {});

/// A row as {column: text}; refused where the number of cells is another than that of columns.
ParsedRow parseDelimitedRow(const RawRow& row, char separator, const std::vector<std::string>& columns);

} // namespace tunebench
