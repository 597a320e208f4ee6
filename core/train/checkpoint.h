#pragma once

#include "core/runs/run_folder.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace tunebench {

struct Trainee;

// A checkpoint is the folder checkpoints/step-N of a run: state.safetensors with every trained tensor and the
// optimizer's state, bit for bit, and checkpoint.json with the counts and the fingerprint of the former. It is there
// whole or not at all. Together with the run's config it is all that decides about the steps that follow: the order of
// rows and the learning rate are functions of the step.

/// Writes the checkpoint after `summary.step` steps and removes older ones until `keep` are left; that of the best
/// evaluation stays in any case.
Result<void> saveCheckpoint(
    const std::filesystem::path& run, const RunSummary& summary, const Trainee& trainee, int64_t keep);

/// Fills the trainee from the checkpoint after `step` steps.
Result<void> loadCheckpoint(const std::filesystem::path& run, int64_t step, Trainee& trainee);

/// Fills the trainee from the newest checkpoint that is whole, and returns the summary of that moment. Damaged ones,
/// and those of another optimizer or other trained tensors, are passed over with a notice. Nothing where there is none;
/// the trainee is then unchanged.
std::optional<RunSummary> loadNewestCheckpoint(
    const std::filesystem::path& run, Trainee& trainee, const std::function<void(std::string)>& notice);

/// The steps that the run has checkpoints of, the newest first.
std::vector<int64_t> checkpointSteps(const std::filesystem::path& run);

} // namespace tunebench
