#pragma once

#include "core/train/trainer.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace tunebench {

/// A run that shall go on, and the options it goes on with.
struct ResumableRun {
    std::filesystem::path path;
    ConfigChoice config;
};

/// The run that the job names, with its own options and those that the job's config sets. Nothing when it is finished
/// and the job asks for no more. An error when there is no such run, or when an option is set that would make it
/// another run (its rows, its model, what is trained).
Result<std::optional<ResumableRun>> findRunToResume(const TrainingJob& job);

/// An error when model or data are not those that the run began with, as its environment.json tells.
Result<void> checkUnchanged(const std::filesystem::path& run, const nlohmann::ordered_json& environment);

} // namespace tunebench
