#pragma once

#include "core/runs/metrics.h"
#include "core/train/trainee.h"

#include <functional>

namespace tunebench {

/// The loss over held-out rows: the mean over supervised tokens, as held (no gradient, nothing changed). Micro-batches
/// are those of evaluationBatches; one that does not fit is split where on_out_of_memory says so. `goOn` is asked
/// before each; nothing when it said no.
std::optional<EvalMetrics> evaluate(Decoder& decoder, std::span<const TokenRow> rows, const RunConfig& config,
    int64_t slotBudget, const std::function<bool(const MicroBatch&)>& goOn);

} // namespace tunebench
