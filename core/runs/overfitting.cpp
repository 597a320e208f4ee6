#include "core/runs/overfitting.h"

namespace tunebench {

std::optional<int64_t> overfittingSince(std::span<const EvalMetrics> evaluations)
{
    constexpr size_t window = 3;
    if (evaluations.size() < window)
        return std::nullopt;
    const auto last = evaluations.last(window);
    for (size_t i = 1; i < window; ++i) {
        if (!last[i - 1].loss || !last[i].loss || *last[i].loss <= *last[i - 1].loss)
            return std::nullopt;
    }
    // The untouched model was evaluated before any training: there is nothing that its mean could have fallen from.
    const auto& before = last.front().trainingLoss ? last.front().trainingLoss : last[1].trainingLoss;
    const auto& now = last.back().trainingLoss;
    return before && now && *now < *before ? std::optional(last.front().step) : std::nullopt;
}

std::string overfittingText(int64_t since, bool intended)
{
    const std::string seen = "The held-out loss has risen since step " + std::to_string(since)
        + " while the training loss falls: the model learns its rows by heart";
    return seen
        + (intended ? ", as overfitting_intended says it shall."
                    : ". Fewer epochs, more rows, a lower learning_rate or early_stopping_patience help; where that is "
                      "what you want, set overfitting_intended.");
}

} // namespace tunebench
