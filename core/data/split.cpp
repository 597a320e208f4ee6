#include "core/data/dataset.h"
#include "core/data/permutation.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace tunebench {
namespace {

constexpr int64_t leastHeldOut = 8;
constexpr int64_t mostHeldOut = 200;
/// Apart from every epoch's stream, so that the draw does not follow the first epoch's order.
constexpr uint64_t splitStream = ~uint64_t { 0 };

} // namespace

int64_t heldOutCount(int64_t rows, double evalShare)
{
    if (!(evalShare > 0))
        return 0;
    const double wanted = std::round(static_cast<double>(rows) * std::min(evalShare, 1.0));
    return std::min(std::clamp(static_cast<int64_t>(wanted), leastHeldOut, mostHeldOut), rows / 2);
}

int64_t heldOutDuplicates(const Split& split)
{
    std::unordered_set<uint64_t> training;
    for (const TokenRow& row : split.training)
        training.insert(row.content);
    return std::count_if(split.heldOut.begin(), split.heldOut.end(),
        [&](const TokenRow& row) { return training.contains(row.content); });
}

std::vector<bool> drawHeldOut(size_t rows, const RunConfig& config)
{
    std::vector<bool> isHeldOut(rows, false);
    const auto count = static_cast<size_t>(heldOutCount(static_cast<int64_t>(rows), config.evalShare));
    const auto order = permutation(rows, static_cast<uint64_t>(config.seed), splitStream);
    for (size_t i = 0; i < count; ++i)
        isHeldOut[order[i]] = true;
    return isHeldOut;
}

Split splitRows(std::vector<TokenRow> rows, std::optional<std::vector<TokenRow>> evalRows, const RunConfig& config)
{
    if (evalRows)
        return { std::move(rows), std::move(*evalRows) };
    const auto isHeldOut = drawHeldOut(rows.size(), config);
    Split split;
    for (size_t i = 0; i < rows.size(); ++i)
        (isHeldOut[i] ? split.heldOut : split.training).push_back(std::move(rows[i]));
    return split;
}

} // namespace tunebench
