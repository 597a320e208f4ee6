#pragma once

#include "core/data/files/row_index.h"

namespace tunebench {

/// Finds the rows of a JSON text: the elements of a list, objects one after another, or one object a line
/// (`oneRowALine`, for .jsonl). Byte order marks at the start of the text or of a line and blank lines are skipped. A
/// damaged row becomes a row with a problem and the rows after it are found again.
RowIndex splitRowsOfJson(std::string_view text, bool oneRowALine, const SplitLimits& limits = {});

/// Parses a row: an object, or the reason why it is none, with line and column. Of equal keys the last wins. Bytes that
/// are not UTF-8, nesting deeper than 512, objects of more than 4,096 keys, and rows of more than 64 MB or 4 million
/// values are refused.
ParsedRow parseJsonRow(const RawRow& row);

} // namespace tunebench
