#pragma once

#include "core/config/run_config.h"
#include "core/runs/run_folder.h"

#include <optional>
#include <string>

namespace tunebench {

/// Counts an evaluation in the summary: first, last and best loss, and how many evaluations in a row were no better.
/// One is better when its loss is lower than the best by more than `minDelta` (transformers, EarlyStoppingCallback).
void countEvaluation(RunSummary& summary, const EvalMetrics& metrics, double minDelta);

/// Why the last evaluation ends the run (stop_at_eval_loss, early_stopping_patience), in a sentence; nothing when it
/// does not.
std::optional<std::string> endedByEvaluation(const RunSummary& summary, const RunConfig& config);

} // namespace tunebench
