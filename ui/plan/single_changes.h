#pragma once

#include "core/config/option_changes.h"

#include <vector>

namespace tunebench {

/// What may be changed from here that moves memory or time, each alone. `now` is resolved; `longest` the length in
/// tokens above which max_length changes nothing.
std::vector<OptionChanges> singleChanges(const RunConfig& now, int64_t longest);

} // namespace tunebench
