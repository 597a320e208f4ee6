#pragma once

#include "core/config/option_changes.h"

#include <cstdint>
#include <string>

namespace tunebench {

/// A change of options that lowers the peak.
struct Remedy {
    OptionChanges changes;
    std::string price; ///< what it costs besides, in words
    int64_t saving = 0; ///< bytes, by a plan with the changed options
    bool fits = false; ///< the plan is within the limit then
    int64_t peakAllocated = 0; ///< bytes, by that plan

    std::string text() const { return changesText(changes); }
};

} // namespace tunebench
