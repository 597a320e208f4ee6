#include "core/train/evaluation_remedies.h"

#include "core/config/cards.h"
#include "core/data/split_micro_batch.h"
#include "core/data/truncation.h"
#include "core/train/dry_run.h"
#include "core/train/remedies.h"
#include "core/train/run_inputs.h"

#include <algorithm>

namespace tunebench {
namespace {

/// Changes that lower what a pass without gradients takes, or what lies beside it.
std::vector<Remedy> candidates(const RunConfig& config)
{
    std::vector<Remedy> list;
    if (config.evalBatchSize.value_or(config.batchSize) > 1)
        list.push_back({ { { "eval_batch_size", "1" } }, "the same result; an evaluation takes longer" });
    if (config.optimizer == OptimizerKind::adamw)
        list.push_back({ { { "optimizer", "adamw_8bit" } }, "the optimizer's moments are rounded to 8 bits" });
    if (config.compute == NumberType::fp32)
        list.push_back({ { { "compute", "bf16" } }, "products are rounded; speed depends on the device" });
    if (config.method == Method::full)
        list.push_back({ { { "method", "lora" } }, "small matrices learn instead of all weights" });
    else if (config.precision == NumberType::fp32)
        list.push_back({ { { "precision", "bf16" } }, "the frozen weights are rounded" });
    list.push_back({ { { "max_length", std::to_string(std::max<int64_t>(2, config.maxLength / 2)) } },
        "longer rows lose their end" });
    return list;
}

Result<int64_t> peakOf(const ConfigChoice& choice, std::vector<TokenRow> rows)
{
    const auto run = openRunModel(choice, [](const std::string&, bool) {});
    if (!run)
        return tl::unexpected(run.error());
    RunConfig config = run->config;
    std::erase_if(
        rows, [&](TokenRow& row) { return !truncateRow(row, config.maxLength, config.truncation).has_value(); });
    const auto most = static_cast<size_t>(config.evalBatchSize.value_or(config.batchSize));
    rows.resize(std::min(rows.size(), most));
    config.padding = Padding::none; // as evaluations have it
    std::vector<Sequence> sequences;
    for (size_t row = 0; row < rows.size(); ++row)
        sequences.push_back({ row });
    if (rows.empty())
        return failure("No row is left.");
    return dryEvaluation(config, run->model.spec, collate(rows, sequences, config, 0));
}

} // namespace

std::vector<Remedy> evaluationRemedies(const ConfigChoice& choice, const MicroBatch& batch)
{
    const auto rows = rowsOf(batch);
    const auto planner = [&](const ConfigChoice& changed) { return peakOf(changed, rows); };
    const auto peak = planner(choice);
    if (!peak)
        return {};
    return rankedRemedies(choice, candidates(choice.values), *peak, limitBytes(choice.values), planner);
}

} // namespace tunebench
