#include "core/train/remedies.h"

#include <algorithm>

namespace tunebench {
namespace {

/// The candidates for the options of a run.
class Candidates {
public:
    Candidates(const RunConfig& config, bool training)
        : m_config(config)
    {
        if (training) {
            addBatch(config.batchSize / 2);
            if (config.batchSize > 3)
                addBatch(1);
            addRecompute();
        } else if (config.evalBatchSize.value_or(config.batchSize) > 1) {
            add({ { "eval_batch_size", "1" } }, "the same result; an evaluation takes longer");
        }
        addSmallerNumbers();
        constexpr int64_t shortest = 64;
        if (config.maxLength / 2 >= shortest)
            add({ { "max_length", std::to_string(config.maxLength / 2) } }, "longer rows lose their end");
    }

    std::vector<Remedy> take() { return std::move(m_list); }

private:
    void add(OptionChanges changes, std::string price) { m_list.push_back({ std::move(changes), std::move(price) }); }

    /// Fewer rows at once, as many before an update.
    OptionChanges batch(int64_t rows) const
    {
        const int64_t effective = m_config.rowsPerStep();
        return { { "batch_size", std::to_string(rows) },
            { "accumulation_steps", std::to_string((effective + rows - 1) / rows) } };
    }

    void addBatch(int64_t rows)
    {
        if (rows > 0)
            add(batch(rows),
                m_config.rowsPerStep() % rows == 0 ? "the same result; a step takes a little longer"
                                                   : "nearly the same result");
    }

    void addSmallerNumbers()
    {
        if (m_config.optimizer == OptimizerKind::adamw)
            add({ { "optimizer", "adamw_8bit" } }, "the optimizer's moments are rounded to 8 bits");
        if (m_config.compute == NumberType::fp32)
            add({ { "compute", "bf16" } }, "products are rounded; speed depends on the device");
        if (m_config.method == Method::full)
            add({ { "method", "lora" } }, "small matrices learn instead of all weights");
        else if (m_config.precision == NumberType::fp32)
            add({ { "precision", "bf16" } }, "the frozen weights are rounded");
        if (m_config.method == Method::lora && m_config.precision != NumberType::nf4)
            add({ { "precision", "nf4" } }, "the frozen weights are rounded to 4 bits; a step takes a little longer");
    }

    void addRecompute()
    {
        const bool off = m_config.gradientCheckpointing == GradientCheckpointing::off;
        if (off)
            add({ { "gradient_checkpointing", "selective" } }, "a step takes about a sixth longer");
        if (!off && m_config.gradientCheckpointing != GradientCheckpointing::selective)
            return;
        const char* price = off ? "a step takes about a third longer" : "a step takes about a sixth longer";
        add({ { "gradient_checkpointing", "full" } }, price);
        if (m_config.batchSize == 1)
            return;
        OptionChanges both = batch(1);
        both.emplace_back("gradient_checkpointing", "full");
        add(std::move(both), price);
    }

    const RunConfig& m_config;
    std::vector<Remedy> m_list;
};

} // namespace

std::vector<Remedy> remedyCandidates(const RunConfig& config, bool training)
{
    return Candidates(config, training).take();
}

std::vector<Remedy> rankedRemedies(
    const ConfigChoice& choice, std::vector<Remedy> candidates, int64_t peak, bool limited, const PeakPlanner& planner)
{
    std::vector<Remedy> remedies;
    for (Remedy& candidate : candidates) {
        ConfigChoice changed = choice;
        const auto planned = applyChanges(changed, candidate.changes) ? planner(changed) : failure("");
        if (!planned || planned->allocated >= peak)
            continue;
        candidate.saving = peak - planned->allocated;
        candidate.peakAllocated = planned->allocated;
        candidate.fits = planned->fits;
        remedies.push_back(std::move(candidate));
    }
    const auto rest = std::stable_partition(
        remedies.begin(), remedies.end(), [&](const Remedy& remedy) { return limited && remedy.fits; });
    std::ranges::stable_sort(rest, remedies.end(), std::greater {}, &Remedy::saving);
    return remedies;
}

std::vector<Remedy> planRemedies(const ConfigChoice& choice, const RunExtents& extents, const MemoryPlan& plan)
{
    const auto planner = [&](const ConfigChoice& changed) {
        return planMemory(changed, extents, PlanDetail::figures).map([](const MemoryPlan& planned) {
            return PlannedPeak { planned.peakAllocated, planned.fits() };
        });
    };
    return rankedRemedies(choice, remedyCandidates(plan.config, true), plan.peakAllocated, plan.limit > 0, planner);
}

} // namespace tunebench
