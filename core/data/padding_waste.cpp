#include "core/data/padding_waste.h"

#include "core/data/micro_batches.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace tunebench {

double PaddingWaste::share() const
{
    return paddedTokens > 0 ? static_cast<double>(paddedTokens - tokens) / static_cast<double>(paddedTokens) : 0;
}

PaddingWaste paddingWaste(std::span<const RowExtent> rows, const RunConfig& config)
{
    std::vector<size_t> lengths;
    for (const RowExtent& row : rows)
        lengths.push_back(std::min<size_t>(row.tokens, static_cast<size_t>(config.maxLength)));
    BatchPlan plan(lengths, config);
    PaddingWaste waste;
    waste.tokens = static_cast<int64_t>(std::reduce(lengths.begin(), lengths.end()));
    for (int64_t step = 0; step < plan.counts().stepsPerEpoch; ++step) {
        for (const auto& sequences : plan.microBatches(step)) {
            size_t longest = 0;
            for (const Sequence& sequence : sequences) {
                const size_t tokens = std::transform_reduce(sequence.begin(), sequence.end(), size_t { 0 },
                    std::plus {}, [&](size_t row) { return lengths[row]; });
                longest = std::max(longest, tokens);
            }
            waste.paddedTokens += static_cast<int64_t>(longest * sequences.size());
        }
    }
    return waste;
}

std::vector<RowExtent> trainingExtents(std::span<const RowExtent> rows, const RunConfig& config)
{
    const size_t parts = config.objective == Objective::dpo ? 2 : 1; // a pair has two, and is used whole or not at all
    std::vector<RowExtent> usable;
    const size_t most = config.maxRows ? static_cast<size_t>(*config.maxRows) : SIZE_MAX;
    for (size_t i = 0; i + parts <= rows.size() && usable.size() / parts < most; i += parts) {
        const auto kept = truncatedExtents(rows.subspan(i, parts), config);
        if (kept.size() == parts)
            usable.insert(usable.end(), kept.begin(), kept.end());
    }
    if (!config.evalDataset.empty())
        return usable;
    const auto isHeldOut = drawHeldOut(usable.size() / parts, config);
    std::vector<RowExtent> training;
    for (size_t i = 0; i < usable.size(); ++i) {
        if (!isHeldOut[i / parts])
            training.push_back(usable[i]);
    }
    return training;
}

std::vector<WasteByBatch> wastesByBatch(
    std::span<const RowExtent> rows, const RunConfig& config, const std::stop_token& stop)
{
    const std::vector<RowExtent> training = trainingExtents(rows, config);
    std::set<int64_t> batchSizes { 1, 2, 4, 8, 16 };
    batchSizes.insert(config.batchSize);
    std::vector<WasteByBatch> wastes;
    RunConfig tried = config;
    for (const int64_t batchSize : batchSizes) {
        for (const RowOrder order : wasteOrders) {
            if (stop.stop_requested())
                return {};
            tried.batchSize = batchSize;
            tried.order = order;
            wastes.push_back({ batchSize, order, paddingWaste(training, tried).share() });
        }
    }
    return wastes;
}

} // namespace tunebench
