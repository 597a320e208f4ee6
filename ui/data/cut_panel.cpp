#include "ui/data/cut_panel.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/base/title.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tunebench {

namespace {

constexpr int barSteps = 1000;

} // namespace

CutPanel::CutPanel(RunPlanner planner, QWidget* parent)
    : QWidget(parent)
    , m_planner(std::move(planner))
    , m_title(makeTitle({}, this))
    , m_table(new CutTable(this))
    , m_peakText(new QLabel(this))
    , m_peakBar(new QProgressBar(this))
    , m_suggestion(new QPushButton(this))
    , m_hint(new QLabel(this))
    , m_counting(this,
          [this](const CutPreview& cuts) {
              const auto rows = static_cast<int64_t>(m_data->inspection.extents.size());
              m_table->showCuts(cuts, rows, std::llround(m_data->lengths.mean * static_cast<double>(rows)));
          })
    , m_planning(this, [this](const SharedPeak& peak) {
        m_peak = peak;
        showPeak();
    })
{
    m_peakText->setWordWrap(true);
    m_peakText->setTextFormat(Qt::PlainText);
    m_peakBar->setRange(0, barSteps);
    m_peakBar->setTextVisible(false);
    m_peakBar->setFixedHeight(6);
    m_peakBar->setAccessibleName(tr("Planned peak memory"));
    m_hint->setWordWrap(true);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(m_title);
    layout->addWidget(m_table);
    layout->addSpacing(4);
    layout->addWidget(m_peakText);
    layout->addWidget(m_peakBar);
    layout->addSpacing(4);
    auto* suggestion = new QHBoxLayout;
    suggestion->addWidget(m_suggestion);
    suggestion->addWidget(m_hint, 1);
    layout->addLayout(suggestion);
    connect(m_suggestion, &QPushButton::clicked, this, [this] { emit maxLengthWanted(suggestedMaxLength(*m_data)); });
}

void CutPanel::setData(const SharedData& data)
{
    m_data = data;
    m_counting.cancel();
    m_planning.cancel();
    m_peak.reset();
    const int64_t suggested = suggestedMaxLength(*data);
    m_suggestion->setText(tr("&Use the suggestion (%1)").arg(formatCount(suggested)));
    m_hint->setText(tr("The 95th percentile, rounded up to a multiple of 8: at most one row in twenty is cut."));
}

void CutPanel::setChoice(const ConfigChoice& choice)
{
    m_choice = choice;
    m_table->setChosen(choice.values.truncation);
    preview(choice.values.maxLength);
}

void CutPanel::preview(int64_t maxLength)
{
    m_choice.values.maxLength = maxLength;
    m_choice.set.insert("max_length");
    m_title->setText(tr("At max_length %1").arg(formatCount(maxLength)));
    m_suggestion->setEnabled(suggestedMaxLength(*m_data) != maxLength);
    count();
    plan();
}

QString CutPanel::peakText() const
{
    return m_peakText->text();
}

void CutPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        showPeak();
    }
}

void CutPanel::count()
{
    m_counting.request([data = m_data, maxLength = m_choice.values.maxLength](const std::stop_token&) {
        const auto& rows = data->inspection.extents;
        return CutPreview { maxLength, countCuts(rows, maxLength, Truncation::right),
            countCuts(rows, maxLength, Truncation::left) };
    });
}

void CutPanel::plan()
{
    if (m_planner.plan == nullptr) {
        return;
    }
    if (m_peak == nullptr) {
        m_peakText->setText(tr("Planning the memory\u2026"));
        m_peakBar->setValue(0);
    }
    m_planning.request([data = m_data, choice = m_choice, planner = m_planner](const std::stop_token&) -> SharedPeak {
        auto plan = runExtents(*data).and_then(
            [&](const RunExtents& extents) { return planner.plan(choice, extents, PlanDetail::memory); });
        return std::make_shared<const Peak>(
            Peak { plan.map(&MemoryPlan::peakAllocated), memoryLimitOf(choice.values) });
    });
}

void CutPanel::showPeak()
{
    if (m_peak == nullptr) {
        return;
    }
    const auto& [bytes, limit] = *m_peak;
    const bool tooMuch = bytes && limit.bytes > 0 && *bytes > limit.bytes;
    QPalette colours;
    if (!bytes || tooMuch) {
        colours.setColor(QPalette::WindowText, errorColour(palette()));
    }
    m_peakText->setPalette(colours);
    m_peakBar->setVisible(bytes && limit.bytes > 0);
    if (!bytes) {
        m_peakText->setText(tr("The peak memory is not known. %1").arg(QString::fromStdString(bytes.error().message)));
        return;
    }
    m_peakText->setText(limit.bytes == 0
            ? tr("Planned peak memory %1").arg(formatBytes(*bytes))
            : tr(tooMuch ? "Planned peak memory %1, more than the %2 of %3" : "Planned peak memory %1 of %2 (%3)")
                  .arg(formatBytes(*bytes), formatBytes(limit.bytes), limit.name));
    if (limit.bytes > 0) {
        const double share = std::min(1.0, static_cast<double>(*bytes) / static_cast<double>(limit.bytes));
        m_peakBar->setValue(static_cast<int>(share * barSteps));
    }
}

} // namespace tunebench
