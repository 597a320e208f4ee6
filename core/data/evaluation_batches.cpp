#include "core/data/evaluation_batches.h"

#include <algorithm>
#include <numeric>

namespace tunebench {

int64_t usualSlots(std::span<const size_t> lengths, const BatchPlan& plan, const RunConfig& config)
{
    const size_t total = std::reduce(lengths.begin(), lengths.end());
    const size_t sequences = plan.sequences().size();
    const size_t batch = std::min(sequences, static_cast<size_t>(config.batchSize));
    return static_cast<int64_t>(std::max(std::ranges::max(lengths), total / sequences * batch));
}

std::vector<std::vector<Sequence>> evaluationBatches(
    std::span<const size_t> lengths, int64_t slots, const RunConfig& config)
{
    const auto mostRows = static_cast<size_t>(config.evalBatchSize.value_or(config.batchSize));
    std::vector<std::vector<Sequence>> batches;
    int64_t taken = 0;
    for (size_t row = 0; row < lengths.size(); ++row) {
        const auto length = static_cast<int64_t>(lengths[row]);
        if (batches.empty() || batches.back().size() == mostRows || taken + length > slots) {
            batches.emplace_back();
            taken = 0;
        }
        batches.back().push_back({ row });
        taken += length;
    }
    return batches;
}

} // namespace tunebench
