#include "core/train/training_run.h"

#include "core/data/micro_batches.h"
#include "core/memory/device.h"
#include "core/runs/run_library.h"
#include "core/train/checkpoint.h"
#include "core/train/evaluate.h"
#include "core/train/explain_failure.h"
#include "core/train/resume_run.h"
#include "core/train/run_inputs.h"
#include "core/train/run_recorder.h"
#include "core/train/save_result.h"
#include "core/train/schedule.h"
#include "core/train/step_meter.h"
#include "core/train/stopwatch.h"
#include "core/train/trainee.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tunebench {
namespace {

/// The loop of one run: evaluation, steps, evaluation, in a run folder that exists.
class TrainingLoop {
public:
    TrainingLoop(const RunInputs& inputs, Trainee& trainee, RunRecorder& recorder, const RunControls& controls)
        : m_inputs(inputs)
        , m_config(inputs.config)
        , m_rows(inputs.data.rows.training)
        , m_trainee(trainee)
        , m_recorder(recorder)
        , m_controls(controls)
        , m_batches(lengthsOf(m_rows), m_config)
        , m_meter(trainee.decoder.device)
    {
    }

    /// Trains on after `done` steps. True when the run came to its end, false when it was stopped.
    Result<bool> run(int64_t done)
    {
        if (done == 0 && m_config.evalAtStart && !evaluateAt(0))
            return false;
        say("Training on " + std::to_string(m_rows.size()) + " rows"
            + (m_config.packing ? ", packed into " + std::to_string(m_batches.sequences().size()) + " sequences" : "")
            + ", " + std::to_string(m_batches.counts().totalSteps) + " steps.");
        int64_t evaluated = 0;
        for (int64_t step = done; step < m_batches.counts().totalSteps; ++step) {
            auto finished = trainAt(step);
            if (!finished || !*finished)
                return finished;
            if (m_config.evalEvery > 0 && (step + 1) % m_config.evalEvery == 0) {
                if (!evaluateAt(step + 1))
                    return false;
                evaluated = step + 1;
            }
            if (m_config.saveEvery > 0 && (step + 1) % m_config.saveEvery == 0)
                checkpoint();
            if (auto written = m_recorder.check(); !written)
                return tl::unexpected(written.error());
        }
        return evaluated == m_batches.counts().totalSteps || evaluateAt(m_batches.counts().totalSteps);
    }

    /// Keeps the state of training as it stands. A checkpoint that cannot be written ends no run.
    void checkpoint()
    {
        const RunSummary& summary = m_recorder.summary();
        if (summary.step == m_saved || summary.step == 0)
            return;
        const auto saved = saveCheckpoint(m_recorder.path(), summary, m_trainee, m_config.keepCheckpoints);
        if (saved)
            m_saved = summary.step;
        else
            m_controls.emit(LogLine {
                "No checkpoint at step " + std::to_string(summary.step) + ": " + saved.error().message, true });
    }

private:
    void say(std::string text) { m_controls.emit(LogLine { std::move(text), false }); }

    /// Waits while the run is paused; false when it shall stop. Time spent waiting belongs to no step.
    bool goOn()
    {
        if (m_controls.paused() && !m_controls.stop.stop_requested()) {
            const Stopwatch watch(m_pausedSeconds);
            m_recorder.state(RunState::paused);
            m_controls.awaitResume();
            m_recorder.state(RunState::running);
        }
        return !m_controls.stop.stop_requested();
    }

    bool evaluateAt(int64_t step)
    {
        const auto& rows = m_inputs.data.rows.heldOut;
        if (rows.empty())
            return true;
        say("Evaluating on " + std::to_string(rows.size()) + " held-out rows.");
        auto metrics = evaluate(m_trainee.decoder, rows, m_config, slotBudget(), [this] { return goOn(); });
        if (!metrics)
            return false;
        metrics->step = step;
        m_recorder.evaluation(*metrics);
        return true;
    }

    /// Slots that some micro-batch of training has in any case: those of the longest row, or of a batch of average
    /// sequences.
    int64_t slotBudget() const
    {
        const auto lengths = lengthsOf(m_rows);
        const size_t total = std::reduce(lengths.begin(), lengths.end());
        const size_t sequences = m_batches.sequences().size();
        const size_t batch = std::min(sequences, static_cast<size_t>(m_config.batchSize));
        return static_cast<int64_t>(std::max(std::ranges::max(lengths), total / sequences * batch));
    }

    std::vector<MicroBatch> groupAt(int64_t step)
    {
        std::vector<MicroBatch> group;
        for (const auto& sequences : m_batches.microBatches(step))
            group.push_back(collate(m_rows, sequences, m_config, m_inputs.data.padId));
        return group;
    }

    /// One optimizer step; false when the run was stopped in it.
    Result<bool> trainAt(int64_t step)
    {
        StepMetrics metrics;
        metrics.step = step + 1;
        metrics.learningRate = learningRateAt(m_config, step, m_batches.counts().totalSteps);
        metrics.epoch = static_cast<double>(step + 1) / static_cast<double>(m_batches.counts().stepsPerEpoch);
        m_pausedSeconds = 0;
        StepOutcome outcome;
        {
            const Stopwatch whole(metrics.seconds);
            const auto group = [&] {
                const Stopwatch watch(metrics.dataSeconds);
                return groupAt(step);
            }();
            outcome = trainStep(m_trainee, m_config, group, metrics.learningRate, [this] { return goOn(); });
        }
        if (outcome.interrupted)
            return false;
        metrics.seconds -= m_pausedSeconds;
        fill(metrics, outcome);
        const bool last = step + 1 == m_batches.counts().totalSteps;
        const bool failed = !std::isfinite(outcome.gradNorm) && !outcome.skipped;
        m_recorder.step(metrics, last || failed || (step + 1) % m_config.logEvery == 0);
        // Steps of many shapes leave the heap full of holes that no later block fits.
        if (m_trainee.decoder.device.is_cpu())
            releaseCachedMemory(m_trainee.decoder.device);
        if (failed || m_trainee.scaler.scale() < 1)
            return failure(explainNotFinite(metrics, m_config), Fault::work);
        return true;
    }

    void fill(StepMetrics& metrics, const StepOutcome& outcome)
    {
        if (std::isfinite(outcome.loss))
            metrics.loss = outcome.loss;
        else
            metrics.note = "the loss is not finite";
        if (std::isfinite(outcome.gradNorm))
            metrics.gradNorm = outcome.gradNorm;
        if (outcome.skipped)
            metrics.note = "gradients overflowed fp16: step skipped, loss scale lowered";
        if (m_trainee.scaler.used())
            metrics.lossScale = m_trainee.scaler.scale();
        metrics.supervisedTokens = outcome.supervisedTokens;
        metrics.tokens = outcome.tokens;
        metrics.paddedTokens = outcome.slots;
        metrics.forwardSeconds = outcome.times.forward;
        metrics.backwardSeconds = outcome.times.backward;
        metrics.recomputeSeconds = outcome.times.recompute;
        metrics.optimizerSeconds = outcome.optimizerSeconds;
        metrics.tokensPerSecond = metrics.seconds > 0 ? static_cast<double>(outcome.tokens) / metrics.seconds : 0;
        m_meter.read(metrics);
    }

    const RunInputs& m_inputs;
    const RunConfig& m_config;
    const std::vector<TokenRow>& m_rows;
    Trainee& m_trainee;
    RunRecorder& m_recorder;
    const RunControls& m_controls;
    BatchPlan m_batches;
    StepMeter m_meter;
    double m_pausedSeconds = 0;
    int64_t m_saved = 0; ///< step of the newest checkpoint
};

RunSummary firstSummary(const RunInputs& inputs)
{
    const PreparedData& data = inputs.data;
    RunSummary summary;
    summary.startedAt = timeNow();
    summary.totalSteps = BatchPlan(lengthsOf(data.rows.training), inputs.config).counts().totalSteps;
    summary.trainingRows = static_cast<int64_t>(data.rows.training.size());
    summary.heldOutRows = static_cast<int64_t>(data.rows.heldOut.size());
    summary.refusedRows = static_cast<int64_t>(data.refused);
    summary.truncatedRows = data.truncation.rows;
    summary.tokensCut = data.truncation.tokensCut;
    summary.answersCut = data.truncation.answersCut;
    summary.truncatedShare
        = data.usable > 0 ? static_cast<double>(data.truncation.rows) / static_cast<double>(data.usable) : 0;
    return summary;
}

/// Runs `body`, and what it throws becomes an error in words.
template <class Body> auto guarded(const RunConfig& config, bool training, Body body) -> decltype(body())
{
    try {
        return body();
    } catch (const std::exception& error) {
        return failure(explainException(error, config, training), Fault::work);
    }
}

/// Fills the trainee from the newest checkpoint of the run that goes on; a run that has none starts again. Returns the
/// steps that are done. Where all are damaged nothing is begun, since it would take the place of what was learnt.
Result<int64_t> goOnFromCheckpoint(Trainee& trainee, RunRecorder& recorder, const Notice& notice)
{
    const auto from
        = loadNewestCheckpoint(recorder.path(), trainee, [&](std::string text) { notice(std::move(text), true); });
    if (!from && !checkpointSteps(recorder.path()).empty())
        return failure("No checkpoint of " + recorder.path().string()
            + " can be read. What the run has saved is as it was; to train it again from the start, begin a new run "
              "with "
              "its config.json, or remove the folder checkpoints and resume.");
    if (!from) {
        notice("There is no checkpoint to go on from, so the run starts again.", true);
        return 0;
    }
    const int64_t total = recorder.summary().totalSteps;
    if (total != from->totalSteps)
        notice("The run now has " + std::to_string(total) + " steps instead of " + std::to_string(from->totalSteps)
                + "; the learning rate follows the schedule of all of them.",
            true);
    recorder.resume(*from, readCurves(recorder.path()).value_or(RunCurves {}));
    notice("Going on after step " + std::to_string(from->step) + ".", false);
    return from->step;
}

/// Loads the model, trains and saves. True when the run came to its end.
Result<bool> trainAndSave(
    const RunInputs& inputs, bool resumed, RunRecorder& recorder, const RunControls& controls, const Notice& notice)
{
    const auto device = openDevice(inputs.config.device);
    if (!device)
        return tl::unexpected(device.error());
    useThreads(inputs.config.threads);
    resetPeakMemory(*device);
    if (auto limited = limitMemory(*device, inputs.config.memoryLimit); !limited)
        return tl::unexpected(limited.error());
    notice("Loading the weights.", false);
    auto trainee = guarded(inputs.config, false, [&] {
        return makeTrainee(inputs.config, inputs.model.spec, inputs.model.weights.get(),
            inputs.adapter ? &*inputs.adapter : nullptr, *device);
    });
    if (!trainee)
        return tl::unexpected(trainee.error());
    const auto done = resumed ? goOnFromCheckpoint(*trainee, recorder, notice) : Result<int64_t>(0);
    if (!done)
        return tl::unexpected(done.error());
    TrainingLoop loop(inputs, *trainee, recorder, controls);
    auto trained = guarded(inputs.config, true, [&] { return loop.run(*done); });
    // What was learnt is kept however the run ended.
    if (recorder.summary().step > 0 || trained) {
        loop.checkpoint();
        auto saved
            = guarded(inputs.config, true, [&] { return saveResult(recorder.path(), inputs, *trainee, notice); });
        if (!saved && trained)
            return tl::unexpected(saved.error());
    }
    return trained;
}

/// Trains in a folder that is held, and leaves its last word there.
Result<std::filesystem::path> trainIn(
    RunFolder folder, const RunInputs& inputs, bool resumed, const RunControls& controls, const Notice& notice)
{
    RunRecorder recorder(std::move(folder), firstSummary(inputs), controls.emit);
    recorder.environment(describeEnvironment(inputs));
    const auto finished = trainAndSave(inputs, resumed, recorder, controls, notice);
    static_cast<void>(limitMemory(at::kCPU, 0)); // cannot fail: a limit on the CPU is only a number
    if (!finished) {
        recorder.state(RunState::failed, finished.error().message);
        return tl::unexpected(finished.error());
    }
    recorder.state(*finished ? RunState::finished : RunState::stopped);
    if (auto written = recorder.check(); !written)
        return tl::unexpected(written.error());
    return recorder.path();
}

Result<std::filesystem::path> startRun(const TrainingJob& job, const RunControls& controls, const Notice& notice)
{
    if (auto named = checkRunName(job.runs, job.name); !named)
        return tl::unexpected(named.error());
    const auto inputs = openRunInputs(job.config, notice, controls.stop);
    if (!inputs)
        return tl::unexpected(inputs.error());
    auto folder = RunFolder::create(job.runs, job.name, inputs->config);
    if (!folder)
        return tl::unexpected(folder.error());
    return trainIn(std::move(*folder), *inputs, false, controls, notice);
}

Result<std::filesystem::path> resumeRun(const TrainingJob& job, const RunControls& controls, const Notice& notice)
{
    const auto found = findRunToResume(job);
    if (!found)
        return tl::unexpected(found.error());
    if (!*found) {
        notice("The run is finished; nothing is left to do.", false);
        return findRun(job.runs, job.name).map(&RunRecord::path);
    }
    const ResumableRun& run = **found;
    auto folder = RunFolder::reopen(run.path);
    if (!folder)
        return tl::unexpected(folder.error());
    const auto inputs = openRunInputs(run.config, notice, controls.stop);
    if (!inputs)
        return tl::unexpected(inputs.error());
    if (auto same = checkUnchanged(run.path, describeEnvironment(*inputs)); !same)
        return tl::unexpected(same.error());
    if (auto written = folder->writeConfig(inputs->config); !written)
        return tl::unexpected(written.error());
    return trainIn(std::move(*folder), *inputs, true, controls, notice);
}

} // namespace

Result<std::filesystem::path> runTraining(const TrainingJob& job, const RunControls& controls)
{
    const Notice notice = [&](std::string text, bool warning) { controls.emit(LogLine { std::move(text), warning }); };
    if (const std::string& problem = initializeEngine(); !problem.empty())
        notice(problem, true);
    return job.resumes ? resumeRun(job, controls, notice) : startRun(job, controls, notice);
}

} // namespace tunebench
