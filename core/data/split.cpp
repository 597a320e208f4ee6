#include "core/data/dataset.h"
#include "core/data/permutation.h"

#include <algorithm>
#include <cmath>

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

Split splitRows(std::vector<TokenRow> rows, std::optional<std::vector<TokenRow>> evalRows, const RunConfig& config)
{
    if (evalRows)
        return { std::move(rows), std::move(*evalRows) };
    const auto count = static_cast<size_t>(heldOutCount(static_cast<int64_t>(rows.size()), config.evalShare));
    std::vector<bool> isHeldOut(rows.size(), false);
    const auto order = permutation(rows.size(), static_cast<uint64_t>(config.seed), splitStream);
    for (size_t i = 0; i < count; ++i)
        isHeldOut[order[i]] = true;
    Split split;
    split.heldOut.reserve(count);
    split.training.reserve(rows.size() - count);
    for (size_t i = 0; i < rows.size(); ++i)
        (isHeldOut[i] ? split.heldOut : split.training).push_back(std::move(rows[i]));
    return split;
}

} // namespace tunebench
