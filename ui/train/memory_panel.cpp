#include "ui/train/memory_panel.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/form/config_model.h"
#include "ui/train/apply_remedy.h"
#include "ui/train/memory_strip.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <utility>

namespace tunebench {

namespace {

constexpr size_t mostRemedies = 5;

QString linked(const Remedy& remedy, size_t number, const QPalette& palette)
{
    return MemoryPanel::tr("<a href='%1' style='color:%2'>%3</a> \u2212%4%5 <span style='color:%6'>(%7)</span>")
        .arg(QString::number(number), palette.color(QPalette::Link).name(),
            QString::fromStdString(remedy.text()).toHtmlEscaped(), formatBytes(remedy.saving),
            remedy.fits ? QString() : MemoryPanel::tr(", not enough alone"), mutedColour(palette).name(),
            QString::fromStdString(remedy.price).toHtmlEscaped());
}

} // namespace

MemoryPanel::MemoryPanel(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_analysis(analysis)
    , m_planner(std::move(planner))
    , m_headline(new QLabel(this))
    , m_strip(new MemoryStrip(this))
    , m_remedies(new QLabel(this))
    , m_task(this, [this](const SharedOutcome& outcome) { take(outcome); })
{
    for (QLabel* label : { m_headline, m_remedies }) {
        label->setTextFormat(Qt::RichText);
        label->setWordWrap(true);
    }
    m_remedies->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_remedies->setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    layout->addWidget(m_headline);
    layout->addWidget(m_strip);
    layout->addWidget(m_remedies);
    connect(&m_analysis, &DataAnalysis::changed, this, &MemoryPanel::plan);
    connect(&m_model, &ConfigModel::changed, this, &MemoryPanel::plan);
    connect(m_remedies, &QLabel::linkActivated, this, &MemoryPanel::applyRemedy);
    setVisible(m_planner.plan != nullptr);
    showOutcome();
}

QString MemoryPanel::headline() const
{
    return m_headline->text();
}

QString MemoryPanel::remedies() const
{
    return m_remedies->text();
}

void MemoryPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        showOutcome();
    }
}

void MemoryPanel::plan()
{
    m_task.cancel();
    const SharedData& data = m_analysis.data();
    if (m_planner.plan == nullptr || data == nullptr || data->inspection.extents.empty()) {
        m_outcome.reset();
        showOutcome();
        return;
    }
    m_task.request(
        [data, choice = m_model.choice(), planner = m_planner](const std::stop_token& stop) -> SharedOutcome {
            const auto& extents = data->inspection.extents;
            auto plan = planner.plan(choice, extents, PlanDetail::all);
            std::vector<Remedy> remedies;
            if (plan && planner.remedies != nullptr && !stop.stop_requested()) {
                remedies = planner.remedies(choice, extents, *plan);
            }
            const MemoryLimit limit = plan ? memoryLimitOf(plan->config) : MemoryLimit {};
            return std::make_shared<const Outcome>(Outcome { std::move(plan), limit, std::move(remedies) });
        });
}

void MemoryPanel::take(const SharedOutcome& outcome)
{
    m_outcome = outcome;
    showOutcome();
    emit planned();
}

void MemoryPanel::showOutcome()
{
    m_strip->setVisible(m_outcome != nullptr && m_outcome->plan.has_value());
    m_remedies->setVisible(false);
    if (m_outcome == nullptr) {
        m_headline->setText(tr("The memory is planned once the rows are counted."));
        return;
    }
    if (!m_outcome->plan) {
        m_headline->setText(tr("The memory cannot be planned. %1")
                                .arg(QString::fromStdString(m_outcome->plan.error().message).toHtmlEscaped()));
        return;
    }
    const MemoryPlan& plan = *m_outcome->plan;
    const MemoryLimit& limit = m_outcome->limit;
    m_strip->show(plan.atPeak, limit.bytes);
    const bool known = limit.bytes > 0;
    const bool fits = !known || plan.peakAllocated <= limit.bytes;
    const QString room = !known ? QString()
        : fits                  ? tr(" of %1 (%2): %3 free")
                     .arg(formatBytes(limit.bytes), limit.name, formatBytes(limit.bytes - plan.peakAllocated))
               : tr(", <span style='color:%4'>%1 more than the %2 of %3</span>")
                     .arg(formatBytes(plan.peakAllocated - limit.bytes), formatBytes(limit.bytes), limit.name,
                         errorColour(palette()).name());
    const bool splits = !fits && plan.config.onOutOfMemory == OutOfMemoryAction::split;
    m_headline->setText(tr("Planned peak memory <b>%1</b>%2%3")
                            .arg(formatBytes(plan.peakAllocated), room, splits ? tr("; will be split") : QString()));
    QStringList lines;
    for (size_t i = 0; i < std::min(mostRemedies, m_outcome->remedies.size()); ++i) {
        lines.push_back(linked(m_outcome->remedies[i], i, palette()));
    }
    m_remedies->setText(lines.join(QStringLiteral("<br>")));
    m_remedies->setVisible(!lines.isEmpty());
}

void MemoryPanel::applyRemedy(const QString& number)
{
    const size_t index = number.toULongLong();
    if (m_outcome == nullptr || index >= m_outcome->remedies.size()) {
        return;
    }
    const Remedy remedy = m_outcome->remedies[index];
    tunebench::applyRemedy(m_model, remedy);
}

} // namespace tunebench
