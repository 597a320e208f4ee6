#pragma once

#include "core/config/options.h"

#include <string>
#include <utility>
#include <vector>

namespace tunebench {

/// Options that change together: key and value, as applyAssignment takes them.
using OptionChanges = std::vector<std::pair<std::string, std::string>>;

/// "gradient_checkpointing full", "batch_size 2 with accumulation_steps 8".
std::string changesText(const OptionChanges& changes);

/// Sets them; false when one cannot be set.
bool applyChanges(ConfigChoice& choice, const OptionChanges& changes);

} // namespace tunebench
