#pragma once

#include "core/data/files/row_index.h"

namespace tunebench {

/// The lines of a text that are not blank, without their line ends and byte order marks, found on all cores.
RowIndex splitLines(std::string_view text, const SplitLimits& limits = {});

/// A row of a plain text file: {"text": the line}.
ParsedRow parseTextRow(const RawRow& row);

} // namespace tunebench
