#include "ui/runs/run_view.h"

#include "ui/base/format.h"
#include "ui/base/title.h"
#include "ui/plots/run_plots.h"
#include "ui/runs/answers_view.h"
#include "ui/runs/options_table.h"
#include "ui/runs/overlay_view.h"
#include "ui/runs/runs_model.h"

#include <QDesktopServices>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QUrl>

namespace tunebench {

namespace {

bool mayGoOn(RunState state)
{
    return state == RunState::interrupted || state == RunState::stopped || state == RunState::failed;
}

} // namespace

RunView::RunView(QWidget* parent)
    : QWidget(parent)
    , m_title(makeTitle({}, this))
    , m_facts(new QLabel(this))
    , m_goOn(new QPushButton(tr("&Go on"), this))
    , m_use(new QPushButton(tr("&Use these options"), this))
    , m_folder(new QPushButton(tr("Open f&older"), this))
    , m_delete(new QPushButton(tr("&Delete\u2026"), this))
    , m_tabs(new QTabWidget(this))
    , m_plots(new RunPlots(this))
    , m_options(new OptionsTable(this))
    , m_answers(new AnswersView(this))
    , m_overlay(new OverlayView(this))
{
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setWordWrap(true);
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_facts);
    auto* head = new QHBoxLayout;
    head->addLayout(words, 1);
    for (QPushButton* button : { m_goOn, m_use, m_folder, m_delete }) {
        head->addWidget(button, 0, Qt::AlignTop);
    }
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_plots, tr("&Plots"));
    m_tabs->addTab(m_options, tr("Opt&ions"));
    m_tabs->addTab(m_answers, tr("&Answers"));
    m_tabs->addTab(m_overlay, tr("Over&lay"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addLayout(head);
    layout->addWidget(m_tabs, 1);

    m_goOn->setToolTip(tr("Train on from the newest checkpoint, as if the run had never stopped."));
    connect(m_goOn, &QPushButton::clicked, this, &RunView::goOnRequested);
    connect(m_use, &QPushButton::clicked, this, [this] { emit useOptions(*m_config); });
    connect(m_folder, &QPushButton::clicked, this,
        [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(m_path.string()))); });
    connect(m_delete, &QPushButton::clicked, this, &RunView::deleteRequested);
    setRun(nullptr);
}

void RunView::setRun(const RunRecord* run)
{
    const bool other = run == nullptr || run->path != m_path;
    if (other) {
        m_path = run == nullptr ? std::filesystem::path() : run->path;
        m_plots->clear();
        m_options->clear();
        showAnswers({});
        m_config.reset();
        if (run != nullptr) {
            showOptions(*run);
        }
    }
    m_goOn->setVisible(run != nullptr && m_config && mayGoOn(run->summary.state));
    m_use->setEnabled(m_config.has_value());
    m_folder->setEnabled(run != nullptr);
    m_delete->setEnabled(run != nullptr);
    if (run == nullptr) {
        m_title->setText(tr("No run chosen"));
        m_facts->setText(tr("Choose a run above to see its plots and options."));
    } else {
        showFacts(*run);
    }
}

void RunView::setCurves(const RunCurves& curves)
{
    m_plots->setCurves(curves);
    showAnswers(curves.answers);
}

void RunView::showAnswers(std::span<const AnswerMetrics> answers)
{
    m_answers->setAnswers(answers);
    m_tabs->setTabVisible(m_tabs->indexOf(m_answers), !m_answers->isEmpty());
}

void RunView::showOverlay()
{
    m_tabs->setCurrentWidget(m_overlay);
}

void RunView::showFacts(const RunRecord& run)
{
    const RunSummary& summary = run.summary;
    m_title->setText(QString::fromStdString(run.name));
    QStringList facts { runStateText(summary.state) };
    if (!run.problem.empty()) {
        facts = { QString::fromStdString(run.problem) };
    }
    if (!summary.reason.empty()) {
        facts.push_back(QString::fromStdString(summary.reason));
    }
    if (summary.totalSteps > 0) {
        facts.push_back(tr("step %1 of %2").arg(formatCount(summary.step), formatCount(summary.totalSteps)));
    }
    if (summary.seconds > 0) {
        facts.push_back(formatDuration(summary.seconds));
    }
    if (summary.trainingRows > 0) {
        facts.push_back(
            tr("%1 rows, %2 held out").arg(formatCount(summary.trainingRows), formatCount(summary.heldOutRows)));
    }
    if (summary.truncatedRows > 0) {
        facts.push_back(tr("%1 rows cut").arg(formatCount(summary.truncatedRows)));
    }
    if (summary.bestEvalLoss) {
        facts.push_back(summary.bestEvalStep
                ? tr("best evaluation loss %1 at step %2")
                      .arg(formatLoss(summary.bestEvalLoss), formatCount(*summary.bestEvalStep))
                : tr("best evaluation loss %1").arg(formatLoss(summary.bestEvalLoss)));
    }
    if (summary.lossNoise) {
        facts.push_back(tr("loss noise %1").arg(formatLoss(summary.lossNoise)));
    }
    if (!summary.overfitting.empty()) {
        facts.push_back(QString::fromStdString(summary.overfitting));
    }
    if (!summary.throughput.empty()) {
        facts.push_back(QString::fromStdString(summary.throughput));
    }
    m_facts->setText(facts.join(QStringLiteral(" \u00b7 ")));
}

void RunView::showOptions(const RunRecord& run)
{
    if (auto config = readRunConfig(run.path)) {
        m_config = std::move(*config);
        m_options->showConfig(*m_config);
        m_plots->setMemoryLimit(*m_config);
    }
}

} // namespace tunebench
