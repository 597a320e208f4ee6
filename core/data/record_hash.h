#pragma once

#include "core/data/records.h"

namespace tunebench {

/// A hash of what a row says: the conversation, the texts or the tokens, not the columns that nobody reads.
uint64_t recordHash(const Record& record);

} // namespace tunebench
