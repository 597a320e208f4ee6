#include "core/runs/json_fields.h"
#include "core/runs/run_folder.h"

#include <algorithm>
#include <array>

namespace tunebench {

namespace {

using Field = JsonField<RunSummary>;

constexpr std::array<std::string_view, 6> stateNames { "running", "paused", "finished", "stopped", "failed",
    "interrupted" };

constexpr std::array summaryFields {
    Field { "reason", &RunSummary::reason },
    Field { "started_at", &RunSummary::startedAt },
    Field { "step", &RunSummary::step },
    Field { "total_steps", &RunSummary::totalSteps },
    Field { "first_loss", &RunSummary::firstLoss },
    Field { "last_loss", &RunSummary::lastLoss },
    Field { "best_loss", &RunSummary::bestLoss },
    Field { "first_eval_loss", &RunSummary::firstEvalLoss },
    Field { "last_eval_loss", &RunSummary::lastEvalLoss },
    Field { "best_eval_loss", &RunSummary::bestEvalLoss },
    Field { "best_eval_step", &RunSummary::bestEvalStep },
    Field { "last_eval_step", &RunSummary::lastEvalStep },
    Field { "evaluations_since_gain", &RunSummary::evaluationsSinceGain },
    Field { "overfitting_since", &RunSummary::overfittingSince },
    Field { "overfitting", &RunSummary::overfitting },
    Field { "seconds", &RunSummary::seconds },
    Field { "seconds_after_warmup", &RunSummary::secondsAfterWarmup },
    Field { "tokens_per_second", &RunSummary::tokensPerSecond },
    Field { "peak_allocated", &RunSummary::peakAllocated },
    Field { "peak_reserved", &RunSummary::peakReserved },
    Field { "peak_process", &RunSummary::peakProcess },
    Field { "peak_device_used", &RunSummary::peakDeviceUsed },
    Field { "mean_device_utilization", &RunSummary::meanDeviceUtilization },
    Field { "mean_power_watts", &RunSummary::meanPowerWatts },
    Field { "energy_watt_hours", &RunSummary::energyWattHours },
    Field { "training_rows", &RunSummary::trainingRows },
    Field { "held_out_rows", &RunSummary::heldOutRows },
    Field { "refused_rows", &RunSummary::refusedRows },
    Field { "truncated_rows", &RunSummary::truncatedRows },
    Field { "truncated_share", &RunSummary::truncatedShare },
    Field { "tokens_cut", &RunSummary::tokensCut },
    Field { "answers_cut", &RunSummary::answersCut },
    Field { "loss_noise", &RunSummary::lossNoise },
    Field { "split_steps", &RunSummary::splitSteps },
    Field { "memory_climb", &RunSummary::memoryClimb },
    Field { "throughput", &RunSummary::throughput },
};

} // namespace

std::string_view runStateName(RunState state)
{
    return stateNames.at(static_cast<size_t>(state));
}

nlohmann::ordered_json summaryToJson(const RunSummary& summary)
{
    nlohmann::ordered_json object { { "state", runStateName(summary.state) } };
    writeFields<RunSummary>(object, summary, summaryFields);
    object["out_of_memory"] = summary.outOfMemory ? outOfMemoryToJson(*summary.outOfMemory) : nlohmann::ordered_json();
    return object;
}

std::optional<RunSummary> summaryFromJson(std::string_view text)
{
    const auto object = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!object.is_object() || !object.contains("state") || !object["state"].is_string()) {
        return std::nullopt;
    }
    const auto state = std::find(stateNames.begin(), stateNames.end(), object["state"].get<std::string>());
    RunSummary summary;
    if (state == stateNames.end() || !readFields<RunSummary>(object, summary, summaryFields)) {
        return std::nullopt;
    }
    summary.state = static_cast<RunState>(state - stateNames.begin());
    if (const auto report = object.find("out_of_memory"); report != object.end())
        summary.outOfMemory = outOfMemoryFromJson(*report);
    return summary;
}

} // namespace tunebench
