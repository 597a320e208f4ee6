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

Result<PlannedPeak> peakOf(const ConfigChoice& choice, std::vector<TokenRow> rows)
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
    const int64_t limit = limitBytes(config);
    return dryEvaluation(config, run->model.spec, collate(rows, sequences, config, 0)).map([&](int64_t peak) {
        return PlannedPeak { peak, limit == 0 || peak <= limit };
    });
}

} // namespace

std::vector<Remedy> evaluationRemedies(const ConfigChoice& choice, const MicroBatch& batch)
{
    const auto rows = rowsOf(batch);
    const auto planner = [&](const ConfigChoice& changed) { return peakOf(changed, rows); };
    const auto peak = planner(choice);
    if (!peak)
        return {};
    return rankedRemedies(
        choice, remedyCandidates(choice.values, false), peak->allocated, limitBytes(choice.values) > 0, planner);
}

} // namespace tunebench
