#pragma once

#include "core/config/run_config.h"

#include <string>
#include <utility>
#include <vector>

namespace tunebench {

/// One change that a person may think of: key and value, or two of them that belong together.
using OptionChanges = std::vector<std::pair<std::string, std::string>>;

/// What may be changed from here that moves memory or time, each alone. `now` is resolved; `longest` the length in
/// tokens above which max_length changes nothing.
std::vector<OptionChanges> singleChanges(const RunConfig& now, int64_t longest);

} // namespace tunebench
