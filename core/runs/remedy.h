#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tunebench {

/// A change of options that lowers the peak.
struct Remedy {
    std::vector<std::pair<std::string, std::string>> changes; ///< key and value, as applyAssignment takes them
    std::string price; ///< what it costs besides, in words
    int64_t saving = 0; ///< bytes, by a plan with the changed options
    bool fits = false; ///< the plan is within the limit then
    int64_t peakAllocated = 0; ///< bytes, by that plan

    /// "gradient_checkpointing full", "batch_size 2 with accumulation_steps 8".
    std::string text() const
    {
        std::string text;
        for (size_t i = 0; i < changes.size(); ++i)
            text += (i == 0 ? "" : i == 1 ? " with " : " and ") + changes[i].first + " " + changes[i].second;
        return text;
    }
};

} // namespace tunebench
