#pragma once

#include "core/train/plan_memory.h"

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

    /// "gradient_checkpointing full", "batch_size 2 with accumulation_steps 8".
    std::string text() const
    {
        std::string text;
        for (const auto& [key, value] : changes)
            text += (text.empty() ? "" : " with ") + key + " " + value;
        return text;
    }
};

/// What would lower the peak of `plan`, each planned like the run itself, the largest saving first. `choice` and
/// `extents` are those of the plan.
std::vector<Remedy> planRemedies(
    const ConfigChoice& choice, std::span<const RowExtent> extents, const MemoryPlan& plan);

} // namespace tunebench
