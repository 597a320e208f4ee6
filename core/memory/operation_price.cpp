#include "core/memory/operation_price.h"

#include "core/base/median.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace tunebench {
namespace {

constexpr size_t featureCount = 4;
using Features = std::array<double, featureCount>;

Features featuresOf(const OperationCount& work)
{
    return { work.calls, work.flops, work.elements, work.bytes };
}

double dot(const Features& a, const Features& b)
{
    double sum = 0;
    for (size_t i = 0; i < featureCount; ++i)
        sum += a[i] * b[i];
    return sum;
}

/// A row of the equations: features and time, both divided by the root of the time so that errors weigh by it.
struct Equation {
    Features features;
    double target;
};

/// Rows of a system of linear equations, the right side last.
using System = std::vector<std::vector<double>>;

/// The normal equations of least squares over the features of `chosen`, each feature divided by its `scale`.
System normalEquations(std::span<const Equation> equations, std::span<const size_t> chosen, const Features& scale)
{
    const size_t n = chosen.size();
    System rows(n, std::vector<double>(n + 1));
    for (const Equation& equation : equations) {
        const auto scaled = [&](size_t i) { return equation.features[chosen[i]] / scale[chosen[i]]; };
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < n; ++j)
                rows[i][j] += scaled(i) * scaled(j);
            rows[i][n] += scaled(i) * equation.target;
        }
    }
    return rows;
}

/// Gauss' elimination of a small symmetric system; nothing where it determines no solution.
std::optional<std::vector<double>> solved(System rows)
{
    const size_t n = rows.size();
    for (size_t i = 0; i < n; ++i) {
        if (rows[i][i] <= 1e-12 * rows[0][0])
            return std::nullopt;
        for (size_t k = i + 1; k < n; ++k) {
            const double factor = rows[k][i] / rows[i][i];
            for (size_t j = i; j <= n; ++j)
                rows[k][j] -= factor * rows[i][j];
        }
    }
    std::vector<double> solution(n);
    for (size_t i = n; i-- > 0;) {
        solution[i] = rows[i][n];
        for (size_t j = i + 1; j < n; ++j)
            solution[i] -= rows[i][j] * solution[j];
        solution[i] /= rows[i][i];
    }
    return solution;
}

/// Least squares over the features of `mask` alone; nothing where they do not determine it.
std::optional<Features> solve(std::span<const Equation> equations, unsigned mask)
{
    std::vector<size_t> chosen;
    Features scale {};
    for (size_t i = 0; i < featureCount; ++i) {
        if ((mask >> i & 1U) == 0)
            continue;
        chosen.push_back(i);
        for (const Equation& equation : equations)
            scale[i] = std::max(scale[i], equation.features[i]);
        if (scale[i] == 0)
            return std::nullopt;
    }
    const auto solution = solved(normalEquations(equations, chosen, scale));
    if (!solution)
        return std::nullopt;
    Features weights {};
    for (size_t i = 0; i < chosen.size(); ++i)
        weights[chosen[i]] = (*solution)[i] / scale[chosen[i]];
    return weights;
}

double squaredError(std::span<const Equation> equations, const Features& weights)
{
    double sum = 0;
    for (const Equation& equation : equations) {
        const double error = dot(equation.features, weights) - equation.target;
        sum += error * error;
    }
    return sum;
}

/// Sets of features as bits, from what says most about the time of other sizes to what says least: where few sizes were
/// timed several sets explain them, and the first of those is taken.
constexpr auto featureSets = [] {
    constexpr unsigned call = 1, flop = 2, element = 4, byte = 8;
    std::array<unsigned, (1U << featureCount) - 1> sets { byte, flop, element, byte | call, flop | call,
        element | call };
    size_t next = 6;
    for (unsigned set = 1; set <= sets.size(); ++set) {
        if (std::find(sets.begin(), sets.begin() + next, set) == sets.begin() + next)
            sets[next++] = set;
    }
    return sets;
}();

Features fit(std::span<const Equation> equations)
{
    constexpr double rounding = 1e-12; // of the equations' right sides
    double noDifference = 0;
    for (const Equation& equation : equations)
        noDifference += rounding * equation.target * equation.target;
    Features best {};
    double bestError = std::numeric_limits<double>::infinity();
    for (const unsigned set : featureSets) {
        const auto weights = solve(equations, set);
        if (!weights || *std::ranges::min_element(*weights) < 0)
            continue;
        const double error = squaredError(equations, *weights);
        if (error < bestError - noDifference) {
            bestError = error;
            best = *weights;
        }
    }
    return best;
}

/// Mean of the middle half: what disturbed a few of the timings does not count.
double middleMean(std::vector<double> values)
{
    std::ranges::sort(values);
    const auto quarter = std::ssize(values) / 4;
    const std::span<const double> half(values.begin() + quarter, values.end() - quarter);
    return std::accumulate(half.begin(), half.end(), 0.0) / static_cast<double>(half.size());
}

/// Seconds of operations of one kind and the same work.
struct Times {
    std::vector<double> first; ///< of those that were the first of their shape
    std::vector<double> later;
};

using TimesByWork = std::map<Features, Times>;

OperationPrice fitPrice(std::string_view kind, const TimesByWork& byWork)
{
    std::vector<Equation> equations;
    std::vector<double> excesses;
    for (const auto& [work, times] : byWork) {
        const double seconds = std::max(middleMean(times.later.empty() ? times.first : times.later), 1e-9);
        const double weight = 1 / std::sqrt(seconds);
        Features features = work;
        for (double& feature : features)
            feature *= weight;
        equations.push_back({ features, seconds * weight });
        if (!times.later.empty())
            std::ranges::transform(
                times.first, std::back_inserter(excesses), [&](double first) { return first - seconds; });
    }
    const Features price = fit(equations);
    return { .kind = std::string(kind),
        .call = price[0],
        .shape = excesses.empty() ? 0 : std::max(0.0, middleMean(excesses)),
        .flop = price[1],
        .element = price[2],
        .byte = price[3] };
}

/// A call as the kinds cost in the middle, and each unit of work as those do that have a price for it.
OperationPrice usualPrice(std::span<const OperationPrice> prices)
{
    const auto middle = [&](double OperationPrice::*part, bool withoutPrice) {
        std::vector<double> values;
        for (const OperationPrice& price : prices) {
            if (withoutPrice || price.*part > 0)
                values.push_back(price.*part);
        }
        return values.empty() ? 0 : median(std::move(values));
    };
    return { .kind = {},
        .call = middle(&OperationPrice::call, true),
        .flop = middle(&OperationPrice::flop, false),
        .element = middle(&OperationPrice::element, false),
        .byte = middle(&OperationPrice::byte, false) };
}

} // namespace

std::vector<OperationPrice> fitPrices(std::span<const TimedOperation> timed)
{
    std::map<std::string_view, TimesByWork> byKind;
    for (const TimedOperation& operation : timed) {
        Times& times = byKind[operation.work.kind][featuresOf(operation.work)];
        (operation.work.shapes > 0 ? times.first : times.later).push_back(operation.seconds);
    }
    std::vector<OperationPrice> prices;
    for (const auto& [kind, byWork] : byKind)
        prices.push_back(fitPrice(kind, byWork));
    return prices;
}

double secondsOf(std::span<const OperationCount> counts, std::span<const OperationPrice> prices)
{
    std::map<std::string_view, const OperationPrice*> byKind;
    for (const OperationPrice& price : prices)
        byKind[price.kind] = &price;
    const OperationPrice other = usualPrice(prices);
    double seconds = 0;
    for (const OperationCount& count : counts) {
        const auto known = byKind.find(count.kind);
        const OperationPrice& price = known == byKind.end() ? other : *known->second;
        seconds += dot(featuresOf(count), { price.call, price.flop, price.element, price.byte })
            + count.shapes * price.shape;
    }
    return seconds;
}

} // namespace tunebench
