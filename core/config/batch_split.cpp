#include "core/config/batch_split.h"

#include <algorithm>

namespace tunebench {

std::vector<BatchSplit> batchSplits(const ConfigChoice& choice)
{
    const RunConfig& config = choice.values;
    std::vector<BatchSplit> splits;
    const int64_t rows = config.effectiveBatch.value_or(0);
    for (int64_t low = 1; low * low <= rows; ++low) {
        if (rows % low != 0) {
            continue;
        }
        splits.push_back({ low, rows / low });
        if (low != rows / low) {
            splits.push_back({ rows / low, low });
        }
    }
    std::erase_if(splits, [&](const BatchSplit& split) {
        return (choice.set.contains("batch_size") && split.batchSize != config.batchSize)
            || (choice.set.contains("accumulation_steps") && split.accumulationSteps != config.accumulationSteps);
    });
    std::ranges::sort(splits, {}, &BatchSplit::batchSize);
    return splits;
}

} // namespace tunebench
