#pragma once

#include "core/runs/run_folder.h"
#include "core/runs/run_library.h"
#include "core/runs/smoothing.h"
#include "core/train/trainer.h"

#include <functional>

namespace tunebench {

/// An error of writing into a run's folder, whose message says how to put it right, with what to do after that.
Error withResumeRemedy(const Error& error);

/// Keeps a run's record: writes each line and the summary to the run folder and tells whoever listens. A folder that
/// cannot be written any more (a full disk) becomes the run's failure at the next check().
class RunRecorder {
public:
    using Listener = std::function<void(TrainerEvent)>;

    RunRecorder(RunFolder folder, RunSummary summary, Listener listener);

    const std::filesystem::path& path() const { return m_folder.path(); }
    const RunSummary& summary() const { return m_summary; }

    /// Goes on from what a checkpoint says of the run, and tells the listener what the run has been until then.
    void resume(const RunSummary& summary, const RunCurves& curves);

    void environment(const nlohmann::ordered_json& environment);
    void step(const StepMetrics& metrics, bool written);
    /// Raises the run's peaks to what was read beside its steps; step() does so itself.
    void memory(const StepMetrics& read);
    /// Adds what the training since the evaluation before says, and counts it as `config` asks.
    void evaluation(EvalMetrics metrics, const RunConfig& config);
    void answer(const AnswerMetrics& metrics);
    void state(RunState state, std::string reason = {});
    void countSplit() { ++m_summary.splitSteps; }
    void memoryClimb(int64_t bytesPerStep) { m_summary.memoryClimb = bytesPerStep; }
    void outOfMemory(OutOfMemoryReport report) { m_summary.outOfMemory = std::move(report); }
    void throughput(std::string text) { m_summary.throughput = std::move(text); }

    /// The newest steps whose times count in averages.
    const std::vector<StepMetrics>& timedSteps() const { return m_timedSteps; }

    /// An error when the folder is gone, or else the first thing that could not be written.
    Result<void> check() const;
    /// False when nothing more can be kept in the folder, since it is gone.
    bool folderIsThere() const { return m_folder.check().has_value(); }

private:
    /// Mean of losses; those of steps that no line of the metrics tells are left out, so that a run that goes on
    /// finds the same.
    struct MeanLoss {
        double sum = 0;
        int64_t count = 0;
        void add(const std::optional<double>& loss)
        {
            sum += loss.value_or(0);
            count += loss ? 1 : 0;
        }
        std::optional<double> mean() const
        {
            return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
        }
    };

    void note(Result<void> written);
    void writeSummary();

    RunFolder m_folder;
    RunSummary m_summary;
    Listener m_listener;
    Result<void> m_written;
    LossNoise m_noise;
    MeanLoss m_sinceEvaluation;
    std::vector<EvalMetrics> m_evaluations;
    std::vector<StepMetrics> m_timedSteps;
    int64_t m_tokensAfterWarmup = 0;
    double m_utilizationSum = 0, m_powerSum = 0;
    int64_t m_utilizationCount = 0, m_powerCount = 0;
    double m_lastSummary = 0; ///< run seconds when the summary was last written
};

/// Steps left out of the averages: caches fill, kernels are chosen.
inline constexpr int64_t warmupStepsOfAverages = 3;

} // namespace tunebench
