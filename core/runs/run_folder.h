#pragma once

#include "core/base/result.h"
#include "core/config/run_config.h"
#include "core/runs/metrics.h"
#include "core/runs/out_of_memory.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tunebench {

enum class RunState { running, paused, finished, stopped, failed, interrupted };
std::string_view runStateName(RunState state);

/// summary.json: how the run stands, rewritten atomically as it goes on.
struct RunSummary {
    RunState state = RunState::running;
    std::string reason; ///< of a failure, or of an end before the last step
    std::string startedAt; ///< ISO 8601, UTC
    int64_t step = 0;
    int64_t totalSteps = 0;
    std::optional<double> firstLoss, lastLoss, bestLoss; ///< training
    std::optional<double> firstEvalLoss, lastEvalLoss, bestEvalLoss; ///< held out
    std::optional<int64_t> bestEvalStep, lastEvalStep;
    int64_t evaluationsSinceGain = 0; ///< in a row that were no better than the best (early_stopping_min_delta)
    std::optional<int64_t> overfittingSince; ///< step from which on the held-out loss rose while training went on
    std::string overfitting; ///< the same in words, or that it was intended; empty while it is not so
    double seconds = 0; ///< whole run
    double secondsAfterWarmup = 0; ///< the first three steps left out
    std::optional<double> tokensPerSecond; ///< after those
    int64_t peakAllocated = 0; ///< bytes
    std::optional<int64_t> peakReserved, peakProcess, peakDeviceUsed;
    std::optional<double> meanDeviceUtilization, meanPowerWatts;
    std::optional<double> energyWattHours; ///< of the card in training steps; absent where the driver does not tell
    int64_t trainingRows = 0, heldOutRows = 0, refusedRows = 0;
    int64_t truncatedRows = 0, tokensCut = 0, answersCut = 0;
    double truncatedShare = 0; ///< of the usable rows
    int64_t splitSteps = 0; ///< steps with a micro-batch that did not fit and was split (on_out_of_memory)
    std::optional<int64_t> memoryClimb; ///< bytes a step by which memory climbs at the same work; see memoryClimb()
    std::optional<OutOfMemoryReport> outOfMemory; ///< of a run that ended so
    std::string throughput; ///< where the time went and what would help, in words
    std::optional<double> lossNoise; ///< standard deviation of raw minus smoothed loss after warm-up
};
nlohmann::ordered_json summaryToJson(const RunSummary& summary);
/// Nothing for a text that is no summary.
std::optional<RunSummary> summaryFromJson(std::string_view text);

/// The last name in a path, whether or not a slash follows it: what a model or a run is called in a list.
std::string lastPathPart(const std::string& path);

/// The time now in ISO 8601, UTC, to the second.
std::string timeNow();

/// Why a run cannot have this name; nothing when it can. Empty means a name made from date and model.
std::optional<std::string> runNameProblem(const std::string& name);

/// Whether a run of this name can be made under `runs`; an error says why not (wrong name, or one that is taken).
Result<void> checkRunName(const std::filesystem::path& runs, const std::string& name);

/// A run that is being written. The folder is locked by the operating system as long as this object lives; another
/// program may read it at any time.
class RunFolder {
public:
    /// Makes `<runs>/<name>` with config.json and a running summary; an existing name is refused, an empty one is made
    /// from date and model (2026-11-29-1432-smollm2-135m-instruct).
    static Result<RunFolder> create(
        const std::filesystem::path& runs, const std::string& name, const RunConfig& config);
    /// Goes on in the folder of a run that nobody holds. What was half-written when it died is removed: a torn last
    /// line of the metrics, temporary files.
    static Result<RunFolder> reopen(const std::filesystem::path& path);
    RunFolder(RunFolder&&) noexcept;
    RunFolder& operator=(RunFolder&&) noexcept;
    ~RunFolder();

    const std::filesystem::path& path() const;
    /// An error once the folder is no longer there, or another one stands in its place: nothing that is written would
    /// be found.
    Result<void> check() const;
    Result<void> writeConfig(const RunConfig& resolved);
    Result<void> writeEnvironment(const nlohmann::ordered_json& environment);
    /// Adds one whole line to metrics.jsonl; when it fails (a full disk), no part of the line stays.
    Result<void> append(const Metrics& metrics);
    /// On a full disk the run's reserve makes room, so that the reason of its end can always be kept.
    Result<void> writeSummary(const RunSummary& summary);

private:
    struct State;
    explicit RunFolder(std::unique_ptr<State> state);
    static Result<RunFolder> hold(const std::filesystem::path& path);
    std::unique_ptr<State> m_state;
};

} // namespace tunebench
