#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"

#include <span>
#include <vector>

namespace tunebench {

/// The rows of a run by their extents before truncation: all that can be used, in order.
struct RunExtents {
    std::span<const RowExtent> dataset;
    std::span<const RowExtent> evaluation {}; ///< of eval_dataset: never trained on
};

/// The same as they were read.
struct ReadExtents {
    std::vector<RowExtent> dataset, evaluation;

    RunExtents view() const { return { dataset, evaluation }; }
};

/// Of the rows that a run with these options reads; encoded ones are kept from time to time. An error where training
/// would refuse them all.
Result<ReadExtents> readExtents(const RunConfig& config, int64_t vocabularySize);

} // namespace tunebench
