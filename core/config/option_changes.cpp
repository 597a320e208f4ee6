#include "core/config/option_changes.h"

#include <algorithm>

namespace tunebench {

std::string changesText(const OptionChanges& changes)
{
    std::string text;
    for (size_t i = 0; i < changes.size(); ++i) {
        text += (i == 0 ? "" : i == 1 ? " with " : " and ") + changes[i].first + " " + changes[i].second;
    }
    return text;
}

bool applyChanges(ConfigChoice& choice, const OptionChanges& changes)
{
    return std::ranges::all_of(changes,
        [&](const auto& change) { return applyAssignment(choice, change.first + "=" + change.second).has_value(); });
}

} // namespace tunebench
