#pragma once

#include "core/data/dataset.h"
#include "core/data/record_fields.h"

namespace tunebench {

/// What a row lost when it was cut to a length.
struct RowCut {
    int64_t tokens = 0;
    bool answer = false; ///< supervised tokens among them
};

/// Cuts ids and labels alike to `maxLength` tokens. Refuses, with the reason, a row that is too long when rows are to
/// be dropped, and a row in which no target is left (the first token is nobody's target). Of a
/// preference pair each answer's row is cut by itself.
Read<RowCut> truncateRow(TokenRow& row, int64_t maxLength, Truncation side);

} // namespace tunebench
