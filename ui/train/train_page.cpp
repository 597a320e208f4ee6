#include "ui/train/train_page.h"

#include "core/runs/run_library.h"
#include "ui/base/banner.h"
#include "ui/base/format.h"
#include "ui/data/cut_warning.h"
#include "ui/form/config_form.h"
#include "ui/form/precision_note.h"
#include "ui/form/steps_line.h"
#include "ui/plots/run_plots.h"
#include "ui/train/log_view.h"
#include "ui/train/memory_panel.h"
#include "ui/train/out_of_memory_panel.h"
#include "ui/train/run_buttons.h"
#include "ui/train/run_numbers.h"

#include <QDataStream>
#include <QHBoxLayout>
#include <QSplitter>

#include <utility>

namespace tunebench {

TrainPage::TrainPage(TrainingBridge& bridge, ConfigModel& model, DataAnalysis& analysis, RunPlanner planner,
    RunActions& actions, std::filesystem::path runs, QWidget* parent)
    : QWidget(parent)
    , m_bridge(bridge)
    , m_model(model)
    , m_actions(actions)
    , m_runs(std::move(runs))
    , m_counter(new RowCounter(this))
    , m_columns(new QSplitter(Qt::Horizontal, this))
{
    m_columns->addWidget(makeConfigPanel(model, analysis, std::move(planner), actions));
    m_columns->addWidget(makeRunPanel());
    m_columns->setStretchFactor(0, 0);
    m_columns->setStretchFactor(1, 1);
    m_columns->setChildrenCollapsible(false);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_columns);

    connect(&m_model, &ConfigModel::changed, this, &TrainPage::showChoice);
    connect(m_cutWarning, &CutWarning::rowsWanted, this, &TrainPage::cutAnswersWanted);
    connect(m_buttons, &RunButtons::nameChanged, this, &TrainPage::showBlocker);
    connect(&m_actions, &RunActions::startRequested, this, &TrainPage::start);
    connectRun();
    showChoice();
}

QWidget* TrainPage::makeConfigPanel(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, RunActions& actions)
{
    auto* panel = new QWidget(this);
    m_form = new ConfigForm(model, panel);
    new PrecisionNote(model, *m_form, planner); // the form's own
    m_cutWarning = new CutWarning(analysis, panel);
    m_steps = new StepsLine(*m_counter, panel);
    m_memory = new MemoryPanel(model, analysis, std::move(planner), panel);
    m_buttons = new RunButtons(actions, panel);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(8);
    layout->addWidget(m_form, 1);
    layout->addWidget(m_cutWarning);
    layout->addWidget(m_steps);
    layout->addWidget(m_memory);
    layout->addWidget(m_buttons);
    constexpr int letters = 52;
    panel->setMinimumWidth(fontMetrics().averageCharWidth() * letters);
    return panel;
}

QWidget* TrainPage::makeRunPanel()
{
    auto* panel = new QWidget(this);
    m_banner = new Banner(panel);
    m_outOfMemory = new OutOfMemoryPanel(m_model, panel);
    m_numbers = new RunNumbers(panel);
    m_plots = new RunPlots(panel);
    m_log = new LogView(panel);
    m_rows = new QSplitter(Qt::Vertical, panel);
    m_rows->addWidget(m_plots);
    m_rows->addWidget(m_log);
    m_rows->setStretchFactor(0, 5);
    m_rows->setStretchFactor(1, 1);
    m_rows->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(4, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_banner);
    layout->addWidget(m_outOfMemory);
    layout->addWidget(m_numbers);
    layout->addWidget(m_rows, 1);
    return panel;
}

void TrainPage::connectRun()
{
    connect(&m_bridge, &TrainingBridge::started, this, &TrainPage::showStart);
    connect(&m_bridge, &TrainingBridge::runFolderKnown, this, &TrainPage::showRunFolder);
    connect(&m_bridge, &TrainingBridge::summaryChanged, m_numbers, &RunNumbers::setSummary);
    connect(&m_bridge, &TrainingBridge::stepsDone, this, [this](const std::vector<StepMetrics>& steps) {
        m_plots->add(steps);
        m_numbers->add(steps);
        m_memory->setHeld(steps.back().reserved.value_or(steps.back().allocated));
    });
    connect(&m_bridge, &TrainingBridge::evaluated, this, [this](const EvalMetrics& evaluation) {
        m_plots->add(evaluation);
        m_numbers->add(evaluation);
        m_log->add(evaluation);
    });
    connect(&m_bridge, &TrainingBridge::answered, this, [this](const AnswerMetrics& answer) { m_log->add(answer); });
    connect(&m_bridge, &TrainingBridge::logged, this, [this](const LogLine& line) { m_log->add(line); });
    connect(&m_bridge, &TrainingBridge::ended, this, &TrainPage::showEnd);
}

void TrainPage::start()
{
    // Files may have come or gone since the last edit.
    m_model.revalidate();
    if (const Finding* finding = m_model.blocker()) {
        m_banner->showMessage(Banner::Kind::error, QString::fromStdString(finding->message));
        m_form->showField(finding->key);
        return;
    }
    m_bridge.start({ m_model.choice(), m_runs, m_buttons->runName() });
}

void TrainPage::warn(const QString& text)
{
    m_banner->showMessage(Banner::Kind::warning, text);
}

QByteArray TrainPage::layoutState() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << m_columns->saveState() << m_rows->saveState();
    return state;
}

void TrainPage::restoreLayout(const QByteArray& state)
{
    QByteArray columns;
    QByteArray rows;
    QDataStream stream(state);
    stream >> columns >> rows;
    m_columns->restoreState(columns);
    m_rows->restoreState(rows);
}

void TrainPage::showChoice()
{
    m_cutWarning->setConfig(m_model.choice().values);
    m_steps->setConfig(m_model.choice().values);
    showBlocker();
}

void TrainPage::showBlocker()
{
    const Finding* finding = m_model.blocker();
    m_actions.setBlocker(finding == nullptr ? m_buttons->nameProblem() : QString::fromStdString(finding->message));
}

void TrainPage::showStart(const TrainingJob& job)
{
    m_banner->hide();
    m_outOfMemory->clear();
    m_plots->clear();
    m_numbers->clear();
    m_log->clear();
    m_plots->setMemoryLimit(job.config.values);
    m_numbers->setMemoryLimit(job.config.values);
}

void TrainPage::showRunFolder(const std::filesystem::path& run)
{
    m_buttons->clearRunName();
    // What `auto` has become stands there.
    if (const auto config = readRunConfig(run)) {
        m_plots->setMemoryLimit(*config);
        m_numbers->setMemoryLimit(*config);
    }
}

void TrainPage::showEnd(const RunEnd& end)
{
    m_numbers->end();
    m_memory->setHeld(0);
    if (const auto& report = m_bridge.summary().outOfMemory) {
        m_outOfMemory->show(*report);
    }
    const QString name = QString::fromStdString(end.run.filename().string());
    switch (end.state) {
    case RunState::failed:
        m_banner->showMessage(Banner::Kind::error, end.message.isEmpty() ? tr("The run failed.") : end.message);
        break;
    case RunState::stopped:
        m_banner->showMessage(Banner::Kind::warning, tr("Stopped. What was learnt is kept in %1.").arg(name));
        break;
    default:
        m_banner->showMessage(Banner::Kind::good, tr("Finished. The run is saved as %1.").arg(name));
    }
}

} // namespace tunebench
