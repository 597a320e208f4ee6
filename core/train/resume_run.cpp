#include "core/train/resume_run.h"

#include "core/base/files.h"
#include "core/runs/run_library.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

/// What may change in a run that goes on.
constexpr std::array changeable { "epochs", "max_steps", "max_hours", "max_temperature", "early_stopping_patience",
    "early_stopping_min_delta", "stop_at_eval_loss", "overfitting_intended", "learning_rate", "scheduler",
    "warmup_steps", "warmup_ratio", "scheduler_cycles", "scheduler_power", "learning_rate_end", "max_grad_norm",
    "weight_decay", "log_every", "eval_every", "eval_batch_size", "eval_prompts", "save_every", "keep_checkpoints",
    "device", "threads", "card", "memory_limit", "on_out_of_memory", "courtesy", "gradient_checkpointing",
    "checkpoint_every_layers", "batch_size", "accumulation_steps" };

std::string listed()
{
    std::string list;
    for (const char* key : changeable)
        list += (list.empty() ? "" : ", ") + std::string(key);
    return list;
}

Result<ConfigChoice> withChanges(ConfigChoice choice, const ConfigChoice& changes)
{
    const int64_t effectiveBatch = choice.values.batchSize * choice.values.accumulationSteps;
    for (const std::string& key : changes.set) {
        if (std::ranges::find(changeable, key) == changeable.end())
            return failure(
                key + " cannot change in a run that goes on; start a new one with it. What can: " + listed() + ".");
        if (auto set = setOption(choice.values, key, optionValue(changes.values, key)); !set)
            return tl::unexpected(set.error());
        choice.set.insert(key);
    }
    if (choice.values.batchSize * choice.values.accumulationSteps != effectiveBatch)
        return failure("batch_size times accumulation_steps must stay " + std::to_string(effectiveBatch)
            + " in a run that goes on, since its steps follow from it; change both, or start a new run.");
    return choice;
}

std::string fingerprintIn(const nlohmann::ordered_json& environment, const char* part)
{
    const auto found = environment.find(part);
    return found != environment.end() && found->is_object() ? found->value("fingerprint", "") : "";
}

} // namespace

Result<std::optional<ResumableRun>> findRunToResume(const TrainingJob& job)
{
    const auto run = findRun(job.runs, job.name);
    if (!run)
        return tl::unexpected(run.error());
    if (!std::filesystem::exists(run->path / "config.json"))
        return failure("The run " + run->path.string()
            + " has no config.json, so it never began; remove its folder and start it again.");
    auto choice = configFromFile((run->path / "config.json").string()).and_then([&](ConfigChoice own) {
        return withChanges(std::move(own), job.config);
    });
    if (!choice)
        return tl::unexpected(choice.error());
    if (run->summary.state == RunState::finished && job.config.set.empty())
        return std::nullopt;
    return ResumableRun { run->path, std::move(*choice) };
}

Result<void> checkUnchanged(const std::filesystem::path& run, const nlohmann::ordered_json& environment)
{
    const auto text = readFile(run / "environment.json");
    const auto before = text ? nlohmann::ordered_json::parse(*text, nullptr, false) : nlohmann::ordered_json();
    if (!before.is_object()) // a run that died before it was written has nothing to differ from
        return {};
    for (const auto& [part, name] : { std::pair("model", "model"), { "data", "dataset" } }) {
        if (fingerprintIn(before, part) != fingerprintIn(environment, part))
            return failure(std::string("The ") + name + " is not the one that the run " + run.string()
                + " began with; put it back, or start a new run.");
    }
    return {};
}

} // namespace tunebench
