#include "core/train/run_recorder.h"

#include "core/runs/overfitting.h"
#include "core/train/evaluation_watch.h"
#include "core/train/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

/// How long the summary on disk may lag behind, seconds.
constexpr double summaryInterval = 2;

constexpr size_t mostTimedSteps = 4096;

template <class T> void raise(std::optional<T>& highest, const std::optional<T>& value)
{
    if (value)
        highest = std::max(highest.value_or(*value), *value);
}

void lower(std::optional<double>& best, const std::optional<double>& value)
{
    if (value)
        best = std::min(best.value_or(*value), *value);
}

/// First, last and best of a loss that may be missing.
void track(
    std::optional<double>& first, std::optional<double>& last, std::optional<double>& best, std::optional<double> loss)
{
    if (!loss)
        return;
    if (!first)
        first = loss;
    last = loss;
    lower(best, loss);
}

} // namespace

Error withResumeRemedy(const Error& error)
{
    return { error.message + " Then resume the run: what it had saved is whole.", error.fault };
}

RunRecorder::RunRecorder(RunFolder folder, RunSummary summary, Listener listener)
    : m_folder(std::move(folder))
    , m_summary(std::move(summary))
    , m_listener(std::move(listener))
    , m_noise(warmupStepsOfAverages)
{
    state(RunState::running);
}

void RunRecorder::resume(const RunSummary& summary, const RunCurves& curves)
{
    const int64_t totalSteps = m_summary.totalSteps; // more epochs than before, perhaps
    m_summary = summary;
    m_summary.totalSteps = totalSteps;
    m_summary.memoryClimb.reset(); // of another process
    m_tokensAfterWarmup = std::llround(summary.tokensPerSecond.value_or(0) * summary.secondsAfterWarmup);
    m_utilizationCount = summary.meanDeviceUtilization ? summary.step : 0;
    m_utilizationSum = summary.meanDeviceUtilization.value_or(0) * static_cast<double>(m_utilizationCount);
    m_powerCount = summary.meanPowerWatts ? summary.step : 0;
    m_powerSum = summary.meanPowerWatts.value_or(0) * static_cast<double>(m_powerCount);
    const int64_t lastEvaluation = summary.lastEvalStep.value_or(-1);
    for (const StepMetrics& step : curves.steps) {
        if (step.step > summary.step)
            break;
        if (step.loss)
            m_noise.add(*step.loss);
        if (step.step > lastEvaluation)
            m_sinceEvaluation.add(step.loss);
        m_listener(step);
    }
    for (const EvalMetrics& evaluation : curves.evaluations) {
        if (evaluation.step > lastEvaluation)
            break;
        m_evaluations.push_back(evaluation);
        m_listener(evaluation);
    }
    for (const AnswerMetrics& answer : curves.answers) {
        if (answer.step > summary.step)
            break;
        m_listener(answer);
    }
    state(RunState::running);
}

void RunRecorder::environment(const nlohmann::ordered_json& environment)
{
    note(m_folder.writeEnvironment(environment));
}

void RunRecorder::step(const StepMetrics& metrics, bool written)
{
    m_summary.step = metrics.step;
    m_summary.seconds += metrics.seconds;
    track(m_summary.firstLoss, m_summary.lastLoss, m_summary.bestLoss, metrics.loss);
    if (metrics.loss)
        m_noise.add(*metrics.loss);
    m_summary.lossNoise = m_noise.value();
    if (metrics.step > warmupStepsOfAverages) {
        m_summary.secondsAfterWarmup += metrics.seconds;
        m_tokensAfterWarmup += metrics.tokens;
        if (m_timedSteps.size() >= mostTimedSteps)
            m_timedSteps.erase(m_timedSteps.begin(), m_timedSteps.begin() + mostTimedSteps / 2);
        m_timedSteps.push_back(metrics);
        m_summary.tokensPerSecond = static_cast<double>(m_tokensAfterWarmup) / m_summary.secondsAfterWarmup;
    }
    memory(metrics);
    if (metrics.deviceUtilization)
        m_summary.meanDeviceUtilization
            = (m_utilizationSum += *metrics.deviceUtilization) / static_cast<double>(++m_utilizationCount);
    if (metrics.powerWatts) {
        m_summary.meanPowerWatts = (m_powerSum += *metrics.powerWatts) / static_cast<double>(++m_powerCount);
        m_summary.energyWattHours
            = m_summary.energyWattHours.value_or(0) + *metrics.powerWatts * metrics.seconds / secondsAnHour;
    }
    if (written) {
        m_sinceEvaluation.add(metrics.loss);
        note(m_folder.append(metrics));
    }
    m_listener(metrics);
    if (m_summary.seconds - m_lastSummary > summaryInterval)
        writeSummary();
}

void RunRecorder::memory(const StepMetrics& read)
{
    m_summary.peakAllocated = std::max(m_summary.peakAllocated, read.peakAllocated);
    raise(m_summary.peakReserved, read.reserved);
    raise(m_summary.peakProcess, read.peakProcess ? read.peakProcess : read.process);
    raise(m_summary.peakDeviceUsed, read.deviceUsed);
}

void RunRecorder::evaluation(EvalMetrics metrics, const RunConfig& config)
{
    m_summary.seconds += metrics.seconds;
    metrics.trainingLoss = m_sinceEvaluation.mean();
    m_sinceEvaluation = {};
    if (metrics.loss) {
        metrics.perplexity = std::exp(*metrics.loss);
        if (metrics.trainingLoss)
            metrics.gap = *metrics.loss - *metrics.trainingLoss;
    }
    countEvaluation(m_summary, metrics, config.earlyStoppingMinDelta);
    m_evaluations.push_back(metrics);
    m_summary.overfittingSince = overfittingSince(m_evaluations);
    m_summary.overfitting
        = m_summary.overfittingSince ? overfittingText(*m_summary.overfittingSince, config.overfittingIntended) : "";
    note(m_folder.append(metrics));
    m_listener(metrics);
}

void RunRecorder::answer(const AnswerMetrics& metrics)
{
    m_summary.seconds += metrics.seconds;
    note(m_folder.append(metrics));
    m_listener(metrics);
}

void RunRecorder::state(RunState state, std::string reason)
{
    m_summary.state = state;
    m_summary.reason = std::move(reason);
    writeSummary();
    m_listener(StateChange { m_summary, m_folder.path() });
}

Result<void> RunRecorder::check() const
{
    if (auto there = m_folder.check(); !there)
        return there;
    return m_written.map_error(withResumeRemedy);
}

void RunRecorder::note(Result<void> written)
{
    if (m_written && !written)
        m_written = std::move(written);
}

void RunRecorder::writeSummary()
{
    m_lastSummary = m_summary.seconds;
    note(m_folder.writeSummary(m_summary));
}

} // namespace tunebench
