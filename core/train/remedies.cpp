#include "core/train/remedies.h"

#include <algorithm>

namespace tunebench {
namespace {

/// Changes that may help the options of a run, whether they do or not.
std::vector<Remedy> candidates(const RunConfig& config)
{
    std::vector<Remedy> list;
    const auto add = [&](std::vector<std::pair<std::string, std::string>> changes, std::string price) {
        list.push_back({ std::move(changes), std::move(price) });
    };
    if (config.gradientCheckpointing == GradientCheckpointing::off) {
        add({ { "gradient_checkpointing", "full" } }, "a step takes about a third longer");
        add({ { "gradient_checkpointing", "selective" } }, "a step takes about a sixth longer");
    }
    if (config.gradientCheckpointing == GradientCheckpointing::selective)
        add({ { "gradient_checkpointing", "full" } }, "a step takes about a sixth longer");
    if (config.batchSize > 1)
        add({ { "batch_size", std::to_string(config.batchSize / 2) },
                { "accumulation_steps", std::to_string(config.accumulationSteps * 2) } },
            config.batchSize % 2 == 0 ? "the same result; a step takes a little longer" : "nearly the same result");
    if (config.method == Method::full)
        add({ { "method", "lora" } }, "small matrices learn instead of all weights");
    else if (config.precision == NumberType::fp32)
        add({ { "precision", "bf16" } }, "the frozen weights are rounded");
    if (config.compute == NumberType::fp32)
        add({ { "compute", "bf16" } }, "products are rounded; speed depends on the device");
    constexpr int64_t shortest = 64;
    if (config.maxLength / 2 >= shortest)
        add({ { "max_length", std::to_string(config.maxLength / 2) } }, "longer rows lose their end");
    return list;
}

} // namespace

std::vector<Remedy> planRemedies(const ConfigChoice& choice, std::span<const RowExtent> extents, const MemoryPlan& plan)
{
    std::vector<Remedy> remedies;
    for (Remedy& candidate : candidates(plan.config)) {
        ConfigChoice changed = choice;
        const bool applied = std::ranges::all_of(candidate.changes, [&](const auto& change) {
            return applyAssignment(changed, change.first + "=" + change.second).has_value();
        });
        const auto planned = applied ? planMemory(changed, extents, PlanDetail::figures) : failure("");
        if (!planned || planned->peakAllocated >= plan.peakAllocated)
            continue;
        candidate.saving = plan.peakAllocated - planned->peakAllocated;
        candidate.fits = planned->fits();
        remedies.push_back(std::move(candidate));
    }
    std::ranges::stable_sort(remedies, std::greater {}, &Remedy::saving);
    return remedies;
}

} // namespace tunebench
