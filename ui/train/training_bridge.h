#pragma once

#include "ui/train/training_run.h"

#include <QObject>
#include <QTimer>

namespace tunebench {

/// What the worker is doing, or has been asked to do next.
enum class RunPhase { idle, starting, running, pausing, paused, resuming, stopping };

/// How a run ended. For a failure `message` says why.
struct RunEnd {
    RunState state = RunState::finished;
    QString message;
    std::filesystem::path run; ///< empty when there is no run folder
};

/// The one object between the engine and the GUI: starts runs, drains their events on a timer and hands them on whole.
/// The phase always follows the worker and is idle after any end.
class TrainingBridge : public QObject {
    Q_OBJECT
public:
    explicit TrainingBridge(StartRun startRun, QObject* parent = nullptr);
    ~TrainingBridge() override;

    void start(TrainingJob job); ///< does nothing while a run is active
    void pause();
    void resume();
    void stop();

    RunPhase phase() const { return m_phase; }
    bool active() const { return m_phase != RunPhase::idle; }
    const RunSummary& summary() const { return m_summary; }
    const std::filesystem::path& runFolder() const { return m_runFolder; }

signals:
    void phaseChanged(tunebench::RunPhase phase);
    void started(const tunebench::TrainingJob& job);
    void runFolderKnown(const std::filesystem::path& run);
    void summaryChanged(const tunebench::RunSummary& summary);
    void stepsDone(const std::vector<tunebench::StepMetrics>& steps); ///< in batches, so that fast runs cost no more
    void evaluated(const tunebench::EvalMetrics& evaluation);
    void answered(const tunebench::AnswerMetrics& answer);
    void logged(const tunebench::LogLine& line);
    void ended(const tunebench::RunEnd& end);

private:
    void poll();
    void deliver(std::vector<TrainerEvent> events);
    void take(const StateChange& change);
    void finish();
    void setPhase(RunPhase phase);

    StartRun m_startRun;
    std::unique_ptr<TrainingRun> m_run;
    RunPhase m_phase = RunPhase::idle;
    RunSummary m_summary;
    std::filesystem::path m_runFolder;
    QTimer m_timer;
};

} // namespace tunebench
