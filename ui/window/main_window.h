#pragma once

#include "ui/base/run_planner.h"
#include "ui/base/theme.h"
#include "ui/train/training_bridge.h"

#include <QMainWindow>

#include <filesystem>

class QActionGroup;
class QLabel;
class QMessageBox;
class QTabWidget;

namespace tunebench {

class ConfigModel;
class DataAnalysis;
class DataPage;
class PlanPage;
class RunActions;
class RunsPage;
class TrainPage;

/// Where the workbench keeps what it writes.
struct WorkbenchPaths {
    std::filesystem::path runs; ///< folder of all runs
    std::filesystem::path lastConfig; ///< file that the form is restored from
};

/// The window: the pages, the menu, and what is kept between two sessions.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(StartRun startRun, RunPlanner planner, WorkbenchPaths paths);
    ~MainWindow() override;

    /// Puts a config file's options into the form.
    Result<void> openConfig(const QString& path);
    void startTraining();

    /// Closes without asking; a run is stopped first, and the window goes when it has ended.
    void stopAndClose();

    TrainingBridge* bridge() const { return m_bridge; }
    ConfigModel* config() const { return m_config; }
    TrainPage* trainPage() const { return m_trainPage; }
    DataPage* dataPage() const { return m_dataPage; }
    PlanPage* planPage() const { return m_planPage; }
    RunsPage* runsPage() const { return m_runsPage; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void makeFileMenu();
    void makeEditMenu();
    void makeRunMenu();
    void makeViewMenu();
    void makeHelpMenu();
    void makeStatus();
    void showPage(QWidget* page);
    void chooseConfig();
    void saveConfigAs();
    void saveLastConfig();
    void restore();
    void showProgress();
    void showEnd(const RunEnd& end);
    void useOptions(const RunConfig& config);
    void goOnWith(const std::filesystem::path& run);
    void askToClose();
    void complain(const QString& text);

    WorkbenchPaths m_paths;
    TrainingBridge* m_bridge;
    ConfigModel* m_config;
    DataAnalysis* m_analysis;
    RunActions* m_actions;
    QTabWidget* m_pages;
    TrainPage* m_trainPage;
    DataPage* m_dataPage;
    PlanPage* m_planPage;
    RunsPage* m_runsPage;
    QLabel *m_phase, *m_place;
    QMessageBox* m_question = nullptr;
    bool m_closeAfterRun = false;
};

} // namespace tunebench
