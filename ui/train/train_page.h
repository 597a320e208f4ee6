#pragma once

#include "ui/base/run_planner.h"
#include "ui/train/training_bridge.h"

#include <QWidget>

#include <filesystem>

class QSplitter;

namespace tunebench {

class Banner;
class ConfigForm;
class ConfigModel;
class CutWarning;
class DataAnalysis;
class LogView;
class MemoryPanel;
class OutOfMemoryPanel;
class RowCounter;
class RunActions;
class RunButtons;
class RunNumbers;
class RunPlots;
class StepsLine;

/// The form of the next run on the left, the run that goes on (or went last) on the right.
class TrainPage : public QWidget {
    Q_OBJECT
public:
    TrainPage(TrainingBridge& bridge, ConfigModel& model, DataAnalysis& analysis, RunPlanner planner,
        RunActions& actions, std::filesystem::path runs, QWidget* parent);

    ConfigForm* form() const { return m_form; }
    MemoryPanel* memory() const { return m_memory; }

    /// Starts a run with the form's options; says what is wrong when they do not allow it.
    void start();

    void warn(const QString& text);

    QByteArray layoutState() const;
    void restoreLayout(const QByteArray& state);

signals:
    void cutAnswersWanted(); ///< the rows that lose a part of their answer

private:
    QWidget* makeConfigPanel(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, RunActions& actions);
    QWidget* makeRunPanel();
    void connectRun();
    void showChoice();
    void showBlocker();
    void showStart(const TrainingJob& job);
    void showRunFolder(const std::filesystem::path& run);
    void showEnd(const RunEnd& end);

    TrainingBridge& m_bridge;
    ConfigModel& m_model;
    RunActions& m_actions;
    std::filesystem::path m_runs;
    ConfigForm* m_form = nullptr;
    RowCounter* m_counter;
    CutWarning* m_cutWarning = nullptr;
    StepsLine* m_steps = nullptr;
    MemoryPanel* m_memory = nullptr;
    RunButtons* m_buttons = nullptr;
    Banner* m_banner = nullptr;
    OutOfMemoryPanel* m_outOfMemory = nullptr;
    RunNumbers* m_numbers = nullptr;
    RunPlots* m_plots = nullptr;
    LogView* m_log = nullptr;
    QSplitter *m_columns, *m_rows = nullptr;
};

} // namespace tunebench
