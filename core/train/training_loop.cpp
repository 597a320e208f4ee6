#include "core/train/training_loop.h"

#include "core/memory/device.h"
#include "core/runs/memory_watch.h"
#include "core/train/checkpoint.h"
#include "core/train/cooling.h"
#include "core/train/evaluation_watch.h"
#include "core/train/explain_failure.h"
#include "core/train/find_not_finite.h"
#include "core/train/schedule.h"
#include "core/train/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

/// Why the run ends after so many steps although more were planned; nothing while it goes on.
std::optional<std::string> earlyEnd(const RunSummary& summary, const RunConfig& config)
{
    if (config.maxHours && summary.seconds >= *config.maxHours * secondsAnHour)
        return "max_hours was reached after step " + std::to_string(summary.step) + ".";
    return summary.lastEvalStep == summary.step ? endedByEvaluation(summary, config) : std::nullopt;
}

} // namespace

TrainingLoop::TrainingLoop(
    const RunInputs& inputs, Trainee& trainee, RunRecorder& recorder, const RunControls& controls, RunMoment& moment)
    : m_inputs(inputs)
    , m_config(inputs.config)
    , m_rows(inputs.data.rows.training)
    , m_trainee(trainee)
    , m_recorder(recorder)
    , m_controls(controls)
    , m_moment(moment)
    , m_batches(lengthsOf(m_rows), m_config)
    , m_meter(trainee.decoder.device)
    , m_courtesy(courtesyRule(m_config.courtesy).share,
          [this](double seconds) { waitFor(seconds, m_controls.stop, m_controls.paused); })
{
}

Result<LoopEnd> TrainingLoop::run()
{
    const int64_t total = m_batches.counts().totalSteps;
    const int64_t done = m_recorder.summary().step;
    say("Training on " + std::to_string(m_rows.size()) + " rows"
        + (m_config.packing ? ", packed into " + std::to_string(m_batches.sequences().size()) + " sequences" : "")
        + ", " + std::to_string(total) + " steps.");
    if (auto few = fewUpdatesText(m_batches.counts()); !few.empty())
        say(std::move(few), true);
    for (int64_t step = done;; ++step) {
        const bool last = step >= total || earlyEnd(m_recorder.summary(), m_config);
        if (evaluationDue(step, last) && !evaluateAt(step))
            return LoopEnd { RunState::stopped, {} };
        if (m_config.saveEvery > 0 && step > done && step % m_config.saveEvery == 0)
            checkpoint();
        if (auto written = m_recorder.check(); !written)
            return tl::unexpected(written.error());
        if (step >= total)
            return LoopEnd {};
        if (auto reason = earlyEnd(m_recorder.summary(), m_config))
            return LoopEnd { RunState::finished, std::move(*reason) };
        coolDown();
        auto goesOn = trainAt(step);
        if (!goesOn)
            return tl::unexpected(goesOn.error());
        if (!*goesOn)
            return LoopEnd { RunState::stopped, {} };
    }
}

void TrainingLoop::checkpoint()
{
    const RunSummary& summary = m_recorder.summary();
    if (summary.step == m_saved || summary.step == 0 || !m_recorder.folderIsThere() || !m_trainee.optimizer.whole())
        return;
    m_moment = { OutOfMemoryPhase::saving, summary.step };
    const auto saved = saveCheckpoint(m_recorder.path(), summary, m_trainee, m_config.keepCheckpoints);
    if (saved)
        m_saved = summary.step;
    else
        say("No checkpoint at step " + std::to_string(summary.step) + ": " + saved.error().message, true);
}

void TrainingLoop::say(std::string text, bool warning) const
{
    m_controls.emit(LogLine { std::move(text), warning });
}

/// Between two pieces of work: the pause that courtesy makes, and another as long as the run is paused, which belongs
/// to no step. False when it shall stop.
bool TrainingLoop::goOn()
{
    m_courtesy.pause();
    if (m_controls.paused() && !m_controls.stop.stop_requested()) {
        const Stopwatch watch(m_pausedSeconds);
        m_recorder.state(RunState::paused);
        m_controls.awaitResume();
        m_recorder.state(RunState::running);
        m_courtesy.begin();
    }
    return !m_controls.stop.stop_requested();
}

/// Waits while the card is too hot; the time belongs to no step. A stop ends the wait.
void TrainingLoop::coolDown()
{
    Cooling cooling(m_config.maxTemperature);
    if (!m_config.maxTemperature || !cooling.mustWait(m_meter.temperature()))
        return;
    say("The card is hotter than max_temperature; training waits until it has cooled.", true);
    m_recorder.state(RunState::paused);
    while (cooling.mustWait(m_meter.temperature()) && !m_controls.stop.stop_requested())
        waitFor(1, m_controls.stop, [] { return false; });
    m_recorder.state(RunState::running);
}

std::vector<MicroBatch> TrainingLoop::groupAt(int64_t step)
{
    std::vector<MicroBatch> group;
    for (const auto& sequences : m_batches.microBatches(step))
        group.push_back(collate(m_rows, sequences, m_config, m_inputs.data.padId));
    return group;
}

/// The place in the schedule: the step, or further on where the time allowed runs out before the steps do.
int64_t TrainingLoop::scheduledStep(int64_t step) const
{
    if (!m_config.maxHours)
        return step;
    const double share = m_recorder.summary().seconds / (*m_config.maxHours * secondsAnHour);
    const int64_t total = m_batches.counts().totalSteps;
    return std::clamp(static_cast<int64_t>(share * static_cast<double>(total)), step, std::max(step, total - 1));
}

/// One optimizer step; false when the run was stopped in it.
Result<bool> TrainingLoop::trainAt(int64_t step)
{
    StepMetrics metrics;
    metrics.step = step + 1;
    metrics.learningRate = learningRateAt(m_config, scheduledStep(step), m_batches.counts().totalSteps);
    metrics.epoch = static_cast<double>(step + 1) / static_cast<double>(m_batches.counts().stepsPerEpoch);
    m_pausedSeconds = 0;
    m_courtesy.begin();
    const double pausesBefore = m_courtesy.seconds();
    StepOutcome outcome;
    std::vector<MicroBatch> group;
    size_t microBatches = 0;
    m_moment = { step == 0 ? OutOfMemoryPhase::firstStep : OutOfMemoryPhase::laterStep, step + 1 };
    {
        const Stopwatch whole(metrics.seconds);
        {
            const Stopwatch watch(metrics.dataSeconds);
            group = groupAt(step);
            microBatches = group.size();
        }
        outcome = trainGroup(group, metrics.learningRate);
        if (!outcome.interrupted)
            m_courtesy.pause();
    }
    if (outcome.interrupted)
        return false;
    metrics.seconds -= m_pausedSeconds;
    metrics.courtesySeconds = m_courtesy.seconds() - pausesBefore;
    fill(metrics, outcome);
    if (group.size() > microBatches)
        noteSplit(metrics, microBatches, group);
    const bool last = step + 1 == m_batches.counts().totalSteps;
    const bool failed = !std::isfinite(outcome.gradNorm) && !outcome.skipped;
    m_recorder.step(metrics, last || failed || (m_config.logEvery > 0 && (step + 1) % m_config.logEvery == 0));
    // Steps of many shapes leave the heap full of holes that no later block fits.
    if (m_trainee.decoder.device.is_cpu())
        releaseCachedMemory(m_trainee.decoder.device);
    watchMemory();
    if (failed || m_trainee.scaler.scale() < 1)
        return failure(explainNotFinite(metrics, m_config, findNotFinite(m_trainee, m_config, group)), Fault::work);
    return true;
}

/// One step of the group; micro-batches that do not fit become parts of it where that is wanted.
StepOutcome TrainingLoop::trainGroup(std::vector<MicroBatch>& group, double learningRate)
{
    while (true) {
        size_t begun = 0;
        try {
            return trainStep(m_trainee, m_config, group, learningRate, [&] {
                m_moment.batch = group[begun++];
                return goOn();
            });
        } catch (const std::exception& error) {
            if (begun == 0 || !m_trainee.optimizer.whole())
                throw;
            auto halves = splitOrRethrow(error, group[begun - 1], m_trainee.decoder.device, m_config);
            group[begun - 1] = std::move(halves.first);
            group.insert(group.begin() + static_cast<std::ptrdiff_t>(begun), std::move(halves.second));
        }
    }
}

void TrainingLoop::noteSplit(StepMetrics& metrics, size_t microBatches, const std::vector<MicroBatch>& group)
{
    const std::string text = "did not fit in memory: " + std::to_string(microBatches)
        + (microBatches == 1 ? " micro-batch was" : " micro-batches were") + " trained in "
        + std::to_string(group.size()) + " parts";
    metrics.note += (metrics.note.empty() ? "" : "; ") + text;
    if (m_recorder.summary().splitSteps == 0)
        say("Step " + std::to_string(metrics.step) + " " + text
                + ". The result is the same; a smaller batch_size with more accumulation_steps saves the time of "
                  "trying.",
            true);
    m_recorder.countSplit();
}

/// Says once when memory climbs from step to step.
void TrainingLoop::watchMemory()
{
    constexpr int64_t every = 16;
    if (m_recorder.summary().step % every != 0 || m_recorder.summary().memoryClimb)
        return;
    if (const auto climb = memoryClimb(m_recorder.timedSteps())) {
        m_recorder.memoryClimb(climb->bytesPerStep);
        say(memoryClimbText(*climb), true);
    }
}

void TrainingLoop::fill(StepMetrics& metrics, const StepOutcome& outcome)
{
    if (std::isfinite(outcome.loss))
        metrics.loss = outcome.loss;
    else
        metrics.note = "the loss is not finite";
    if (std::isfinite(outcome.gradNorm))
        metrics.gradNorm = outcome.gradNorm;
    if (outcome.skipped)
        metrics.note = "gradients overflowed fp16: step skipped, loss scale lowered";
    setPreference(metrics, outcome.preference);
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

} // namespace tunebench
