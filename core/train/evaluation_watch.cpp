#include "core/train/evaluation_watch.h"

#include "core/config/number_text.h"

namespace tunebench {

void countEvaluation(RunSummary& summary, const EvalMetrics& metrics, double minDelta)
{
    summary.lastEvalStep = metrics.step;
    const auto& best = summary.bestEvalLoss;
    const bool better = metrics.loss && (!best || *metrics.loss < *best - minDelta);
    summary.evaluationsSinceGain = better ? 0 : summary.evaluationsSinceGain + 1;
    if (!metrics.loss)
        return;
    if (!summary.firstEvalLoss)
        summary.firstEvalLoss = metrics.loss;
    summary.lastEvalLoss = metrics.loss;
    if (!best || *metrics.loss < *best) {
        summary.bestEvalLoss = metrics.loss;
        summary.bestEvalStep = metrics.step;
    }
}

std::optional<std::string> endedByEvaluation(const RunSummary& summary, const RunConfig& config)
{
    if (config.stopAtEvalLoss && summary.lastEvalLoss && *summary.lastEvalLoss <= *config.stopAtEvalLoss)
        return "The held-out loss reached stop_at_eval_loss (" + numberText(*config.stopAtEvalLoss) + ") at step "
            + std::to_string(summary.step) + ".";
    if (config.earlyStoppingPatience > 0 && summary.evaluationsSinceGain >= config.earlyStoppingPatience)
        return "Early stopping: the last " + std::to_string(summary.evaluationsSinceGain)
            + " evaluations were no better than the best, at step " + std::to_string(summary.bestEvalStep.value_or(0))
            + ".";
    return std::nullopt;
}

} // namespace tunebench
