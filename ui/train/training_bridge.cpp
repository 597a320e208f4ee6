#include "ui/train/training_bridge.h"

#include <exception>
#include <utility>

namespace tunebench {

TrainingBridge::TrainingBridge(StartRun startRun, QObject* parent)
    : QObject(parent)
    , m_startRun(std::move(startRun))
{
    constexpr int interval = 33; // ms; what the eye follows
    m_timer.setInterval(interval);
    connect(&m_timer, &QTimer::timeout, this, &TrainingBridge::poll);
}

TrainingBridge::~TrainingBridge() = default;

void TrainingBridge::start(TrainingJob job)
{
    if (active()) {
        return;
    }
    m_summary = {};
    m_runFolder.clear();
    setPhase(RunPhase::starting);
    emit started(job);
    try {
        m_run = m_startRun(std::move(job));
    } catch (const std::exception& problem) {
        setPhase(RunPhase::idle);
        emit ended({ RunState::failed, tr("The run could not start: %1.").arg(QString::fromUtf8(problem.what())), {} });
        return;
    }
    m_timer.start();
}

void TrainingBridge::pause()
{
    if (m_phase == RunPhase::running || m_phase == RunPhase::starting) {
        setPhase(RunPhase::pausing);
        m_run->pause();
    }
}

void TrainingBridge::resume()
{
    if (m_phase == RunPhase::paused || m_phase == RunPhase::pausing) {
        setPhase(RunPhase::resuming);
        m_run->resume();
    }
}

void TrainingBridge::stop()
{
    if (active() && m_phase != RunPhase::stopping) {
        setPhase(RunPhase::stopping);
        m_run->stop();
    }
}

void TrainingBridge::poll()
{
    // Asked before draining: what a finished thread has said lies in the queue by then.
    const bool finished = m_run->finished();
    deliver(m_run->drain());
    if (finished) {
        finish();
    }
}

void TrainingBridge::deliver(std::vector<TrainerEvent> events)
{
    std::vector<StepMetrics> steps;
    const auto flush = [this, &steps] {
        if (!steps.empty()) {
            // The worker tells its summary now and then only.
            m_summary.step = steps.back().step;
            emit stepsDone(steps);
            steps.clear();
        }
    };
    for (TrainerEvent& event : events) {
        if (auto* step = std::get_if<StepMetrics>(&event)) {
            steps.push_back(std::move(*step));
            continue;
        }
        flush();
        if (const auto* change = std::get_if<StateChange>(&event)) {
            take(*change);
        } else if (const auto* evaluation = std::get_if<EvalMetrics>(&event)) {
            emit evaluated(*evaluation);
        } else if (const auto* answer = std::get_if<AnswerMetrics>(&event)) {
            emit answered(*answer);
        } else if (const auto* line = std::get_if<LogLine>(&event)) {
            emit logged(*line);
        }
    }
    flush();
}

void TrainingBridge::take(const StateChange& change)
{
    m_summary = change.summary;
    if (!change.run.empty() && change.run != m_runFolder) {
        m_runFolder = change.run;
        emit runFolderKnown(m_runFolder);
    }
    emit summaryChanged(m_summary);
    // What was asked for meanwhile stays in the phase until the worker has done it.
    const RunState state = m_summary.state;
    if (state == RunState::running && (m_phase == RunPhase::starting || m_phase == RunPhase::resuming)) {
        setPhase(RunPhase::running);
    } else if (state == RunState::paused && (m_phase == RunPhase::pausing || m_phase == RunPhase::running)) {
        setPhase(RunPhase::paused);
    }
}

void TrainingBridge::finish()
{
    m_timer.stop();
    const auto outcome = m_run->outcome();
    m_run.reset();
    RunEnd end { m_summary.state, QString::fromStdString(m_summary.reason), m_runFolder };
    if (!outcome) {
        end.state = RunState::failed;
        end.message = QString::fromStdString(outcome.error().message);
    } else {
        end.run = *outcome;
    }
    setPhase(RunPhase::idle);
    emit ended(end);
}

void TrainingBridge::setPhase(RunPhase phase)
{
    if (phase != m_phase) {
        m_phase = phase;
        emit phaseChanged(phase);
    }
}

} // namespace tunebench
