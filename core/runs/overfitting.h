#pragma once

#include "core/runs/metrics.h"

#include <optional>
#include <span>
#include <string>

namespace tunebench {

/// Whether the model now learns its rows by heart: over the last three evaluations the held-out loss rose each time
/// while the training loss fell. Returns the step of the first of the three; nothing when it is not so, or a loss is
/// not known.
std::optional<int64_t> overfittingSince(std::span<const EvalMetrics> evaluations);

/// The same in words, with what can be done; where it is `intended` (overfitting_intended), that it is.
std::string overfittingText(int64_t since, bool intended);

} // namespace tunebench
