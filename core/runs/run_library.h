#pragma once

#include "core/runs/run_folder.h"

namespace tunebench {

/// One saved run in the list.
struct RunRecord {
    std::string name;
    std::filesystem::path path;
    RunSummary summary; ///< state interrupted: it says running, but nobody holds its lock
    std::string model; ///< last part of the model's path
    std::string problem; ///< why the folder could not be read in full; empty when it could
};

/// `<data directory>/runs`.
std::filesystem::path defaultRunsDirectory();

/// All runs, newest first. A damaged folder is listed with its problem; a missing folder is an empty list.
std::vector<RunRecord> listRuns(const std::filesystem::path& runs);

/// A run by name under `runs`, or by path.
Result<RunRecord> findRun(const std::filesystem::path& runs, const std::string& nameOrPath);

/// The metrics of a run in step order; the last line of a step (and prompt) wins, a torn last line is left out.
struct RunCurves {
    std::vector<StepMetrics> steps;
    std::vector<EvalMetrics> evaluations;
    std::vector<AnswerMetrics> answers; ///< those of a step in the order of the prompts
};
Result<RunCurves> readCurves(const std::filesystem::path& run);

/// The resolved options of a run.
Result<RunConfig> readRunConfig(const std::filesystem::path& run);

/// Deletes a run for good: renamed to a name that lists no more, then removed, so that it is never listed in part. A
/// run that goes on, or a folder that is no run, is refused.
Result<void> deleteRun(const std::filesystem::path& run);

} // namespace tunebench
