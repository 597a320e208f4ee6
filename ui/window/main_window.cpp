#include "ui/window/main_window.h"

#include "core/base/files.h"
#include "ui/base/format.h"
#include "ui/data/data_page.h"
#include "ui/form/config_form.h"
#include "ui/plan/plan_page.h"
#include "ui/runs/run_listing.h"
#include "ui/runs/runs_page.h"
#include "ui/train/memory_panel.h"
#include "ui/train/run_buttons.h"
#include "ui/train/train_page.h"
#include "ui/window/settings.h"

#include <QCloseEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QStatusBar>
#include <QTabWidget>

#include <utility>

namespace tunebench {

MainWindow::MainWindow(StartRun startRun, RunPlanner planner, WorkbenchPaths paths)
    : m_paths(std::move(paths))
    , m_bridge(new TrainingBridge(std::move(startRun), this))
    , m_config(new ConfigModel(this))
    , m_analysis(new DataAnalysis(this))
    , m_actions(new RunActions(*m_bridge, this))
    , m_pages(new QTabWidget(this))
    , m_trainPage(new TrainPage(*m_bridge, *m_config, *m_analysis, planner, *m_actions, m_paths.runs, this))
    , m_dataPage(new DataPage(*m_config, *m_analysis, planner, this))
    , m_planPage(new PlanPage(*m_config, *m_analysis, std::move(planner), this))
    , m_runsPage(new RunsPage(m_paths.runs, this))
    , m_phase(new QLabel(this))
    , m_place(new QLabel(this))
{
    setWindowTitle(QStringLiteral("Tunebench"));
    m_pages->setDocumentMode(true);
    m_pages->addTab(m_trainPage, tr("Train"));
    m_pages->addTab(m_dataPage, tr("Data"));
    m_pages->addTab(m_planPage, tr("Plan"));
    m_pages->addTab(m_runsPage, tr("Runs"));
    setCentralWidget(m_pages);
    makeFileMenu();
    makeEditMenu();
    makeRunMenu();
    makeViewMenu();
    makeHelpMenu();
    makeStatus();

    connect(m_bridge, &TrainingBridge::phaseChanged, this, &MainWindow::showProgress);
    connect(m_bridge, &TrainingBridge::summaryChanged, this, &MainWindow::showProgress);
    connect(m_bridge, &TrainingBridge::stepsDone, this, &MainWindow::showProgress);
    connect(m_bridge, &TrainingBridge::started, this, &MainWindow::saveLastConfig);
    connect(m_bridge, &TrainingBridge::runFolderKnown, m_runsPage, &RunsPage::open);
    connect(m_bridge, &TrainingBridge::ended, this, &MainWindow::showEnd);
    connect(m_bridge, &TrainingBridge::phaseChanged, this, [this] { m_planPage->setTraining(m_bridge->active()); });
    connect(
        m_planPage, &PlanPage::measuringChanged, this, [this] { m_actions->setMeasuring(m_planPage->isMeasuring()); });
    connect(m_planPage, &PlanPage::deviceMeasured, m_trainPage->memory(), &MemoryPanel::plan);
    connect(m_runsPage, &RunsPage::useOptions, this, &MainWindow::useOptions);
    connect(m_runsPage, &RunsPage::goOnRequested, this, &MainWindow::goOnWith);
    connect(m_config, &ConfigModel::changed, this, [this] { m_analysis->setConfig(m_config->choice().values); });
    connect(m_trainPage, &TrainPage::cutAnswersWanted, this, [this] {
        m_dataPage->showCutAnswers();
        showPage(m_dataPage);
    });
    restore();
    showProgress();
}

MainWindow::~MainWindow() = default;

Result<void> MainWindow::openConfig(const QString& path)
{
    auto choice = configFromFile(path.toStdString());
    if (!choice) {
        return tl::unexpected(choice.error());
    }
    m_config->replace(std::move(*choice), tr("opening %1").arg(path));
    return {};
}

void MainWindow::startTraining()
{
    showPage(m_trainPage);
    m_trainPage->start();
}

void MainWindow::stopAndClose()
{
    if (m_bridge->active()) {
        // The event loop goes on until the run has ended.
        m_closeAfterRun = true;
        m_bridge->stop();
    } else {
        close();
    }
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_bridge->active()) {
        event->ignore();
        askToClose();
        return;
    }
    saveLastConfig();
    storeLayout({ saveGeometry(), m_trainPage->layoutState(), m_dataPage->layoutState(), m_planPage->layoutState(),
        m_runsPage->layoutState() });
    QMainWindow::closeEvent(event);
}

void MainWindow::makeStatus()
{
    constexpr int margin = 6;
    m_phase->setContentsMargins(margin, 0, margin, 0);
    statusBar()->addWidget(m_phase);
    statusBar()->addPermanentWidget(m_place);
    m_place->setText(tr("Runs: %1").arg(QString::fromStdString(m_paths.runs.string())));
    m_place->setForegroundRole(QPalette::PlaceholderText);
}

void MainWindow::showPage(QWidget* page)
{
    m_pages->setCurrentWidget(page);
    page->setFocus();
}

void MainWindow::chooseConfig()
{
    const QString path
        = QFileDialog::getOpenFileName(this, tr("Open a configuration"), {}, tr("Configurations (*.json)"));
    if (path.isEmpty()) {
        return;
    }
    if (const auto result = openConfig(path); !result) {
        complain(QString::fromStdString(result.error().message));
    }
}

void MainWindow::saveConfigAs()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the configuration"), QStringLiteral("config.json"), tr("Configurations (*.json)"));
    if (path.isEmpty()) {
        return;
    }
    if (const auto result = writeFileAtomically(path.toStdString(), choiceToText(m_config->choice())); !result) {
        complain(QString::fromStdString(result.error().message));
    }
}

void MainWindow::saveLastConfig()
{
    std::error_code problem;
    std::filesystem::create_directories(m_paths.lastConfig.parent_path(), problem);
    // Without it the next session starts from the defaults; nothing else is lost.
    if (const auto result = writeFileAtomically(m_paths.lastConfig, choiceToText(m_config->choice())); !result) {
        statusBar()->showMessage(QString::fromStdString(result.error().message));
    }
}

void MainWindow::restore()
{
    const WindowLayout layout = storedLayout();
    if (!restoreGeometry(layout.geometry)) {
        constexpr QSize usual(1440, 900);
        resize(usual.boundedTo(screen()->availableSize()));
    }
    m_trainPage->restoreLayout(layout.trainPage);
    m_dataPage->restoreLayout(layout.dataPage);
    m_planPage->restoreLayout(layout.planPage);
    m_runsPage->restoreLayout(layout.runsPage);
    auto choice = readLastConfig(m_paths.lastConfig);
    if (choice) {
        m_config->replace(std::move(*choice), {});
    } else {
        m_trainPage->warn(tr("The last configuration could not be read, so the defaults stand here. %1")
                              .arg(QString::fromStdString(choice.error().message)));
    }
    m_config->undoStack()->clear();
    m_analysis->setConfig(m_config->choice().values);
}

void MainWindow::showProgress()
{
    const RunSummary& summary = m_bridge->summary();
    QString text = phaseText(m_bridge->phase());
    if (m_bridge->active() && summary.totalSteps > 0) {
        text += tr(" \u00b7 step %1 of %2").arg(formatCount(summary.step), formatCount(summary.totalSteps));
    }
    m_phase->setText(text);
    setWindowTitle(m_bridge->active() ? tr("%1 \u2013 Tunebench").arg(text) : QStringLiteral("Tunebench"));
}

void MainWindow::showEnd(const RunEnd&)
{
    m_runsPage->listing()->refresh();
    if (m_question != nullptr) {
        m_question->close();
    }
    if (m_closeAfterRun) {
        m_closeAfterRun = false;
        close();
    }
}

void MainWindow::useOptions(const RunConfig& config)
{
    m_config->replace(choiceFromConfig(config), tr("options of a run"));
    showPage(m_trainPage);
}

void MainWindow::goOnWith(const std::filesystem::path& run)
{
    if (m_bridge->active()) {
        statusBar()->showMessage(tr("A run is going; stop it first, or wait for its end."));
        return;
    }
    if (m_planPage->isMeasuring()) {
        statusBar()->showMessage(measuringText());
        return;
    }
    showPage(m_trainPage);
    TrainingJob job;
    job.runs = m_paths.runs;
    job.name = run.string();
    job.resumes = true;
    m_bridge->start(std::move(job));
}

void MainWindow::askToClose()
{
    if (m_question != nullptr || m_closeAfterRun) {
        return;
    }
    m_question = new QMessageBox(QMessageBox::Question, tr("A run is going"),
        tr("A run is going. Stop it and close? What was learnt up to now is kept."), QMessageBox::NoButton, this);
    m_question->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* stop = m_question->addButton(tr("&Stop and close"), QMessageBox::AcceptRole);
    QPushButton* keep = m_question->addButton(tr("&Keep training"), QMessageBox::RejectRole);
    m_question->setDefaultButton(keep);
    m_question->setEscapeButton(keep);
    connect(stop, &QPushButton::clicked, this, &MainWindow::stopAndClose);
    connect(m_question, &QObject::destroyed, this, [this] { m_question = nullptr; });
    m_question->open();
}

void MainWindow::complain(const QString& text)
{
    auto* box = new QMessageBox(QMessageBox::Warning, QStringLiteral("Tunebench"), text, QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace tunebench
