#include "ui/plan/shape_fit.h"

#include <algorithm>

namespace tunebench {

namespace {

constexpr int64_t lengthStep = 64; // tokens
constexpr int64_t mostRows = 64;

/// Plans so many full rows of a length, as one micro-batch that is one step.
class FullRows {
public:
    FullRows(const ShapePlanner& planner, RunConfig config, const ModelSpec& spec, int64_t limit)
        : m_planner(planner)
        , m_config(std::move(config))
        , m_spec(spec)
        , m_limit(limit)
    {
        m_config.evalShare = 0;
        m_config.maxRows.reset();
        m_config.packing = false;
        m_config.epochs = 1;
        m_config.maxSteps = 1;
        m_config.accumulationSteps = 1;
    }

    Result<MemoryPlan> plan(int64_t rows, int64_t length, PlanDetail detail)
    {
        m_config.batchSize = rows;
        m_config.maxLength = length;
        const auto tokens = static_cast<uint32_t>(length);
        const std::vector<RowExtent> extents(
            static_cast<size_t>(rows * rowsOfOne()), { tokens, tokens - 1, 1, tokens - 1 });
        return m_planner(m_config, m_spec, { extents }, detail);
    }

    /// A preference pair is the chosen answer's row and that of the rejected.
    int64_t rowsOfOne() const { return m_config.objective == Objective::dpo ? 2 : 1; }

    bool fits(int64_t rows, int64_t length)
    {
        const auto planned = plan(rows, length, PlanDetail::memory);
        return planned && planned->needed() <= m_limit;
    }

private:
    const ShapePlanner& m_planner;
    RunConfig m_config;
    const ModelSpec& m_spec;
    int64_t m_limit;
};

/// The largest multiple of `step` up to `most`, itself one, that fits: by doubling, then by halves; 0: none.
template <class Fits> int64_t largest(int64_t step, int64_t most, const Fits& fits, const std::stop_token& stop)
{
    int64_t good = 0;
    int64_t bad = 0; // none is known
    for (int64_t next = step; next > good && !stop.stop_requested();) {
        (fits(next) ? good : bad) = next;
        next = bad == 0 ? std::min(2 * good, most) : (good + bad) / 2 / step * step;
    }
    return good;
}

} // namespace

ShapeFit findShapeFit(
    const ShapePlanner& planner, RunConfig config, const ModelSpec& spec, int64_t limit, const std::stop_token& stop)
{
    FullRows full(planner, std::move(config), spec, limit);
    const int64_t usual = std::min(ShapeFit::usualLength, spec.contextLength);
    const auto one = full.plan(1, usual, PlanDetail::figures);
    if (!one) {
        return { .problem = one.error().message };
    }
    ShapeFit found { .least = one->needed(), .noTime = one->noTime };
    const int64_t most = std::min(spec.contextLength, ShapeFit::mostLength) / lengthStep * lengthStep;
    found.longest = largest(
        lengthStep, most, [&](int64_t length) { return full.fits(1, length); }, stop);
    found.isMost = found.longest == most;
    for (int64_t rows = 1; rows <= mostRows && !stop.stop_requested(); rows *= 2) {
        const auto planned = full.plan(rows, usual, PlanDetail::figures);
        if (!planned || planned->needed() > limit) {
            break;
        }
        found.rows = rows;
        if (planned->seconds()) {
            const double seconds = *planned->seconds() / static_cast<double>(rows);
            found.isAtBest = !planned->secondsPerStep;
            found.secondsPerRow = seconds;
            found.tokensPerSecond = static_cast<double>(usual * full.rowsOfOne()) / seconds;
        }
    }
    return found;
}

} // namespace tunebench
