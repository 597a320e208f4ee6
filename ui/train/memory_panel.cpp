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
    , m_free(m_planner.freeMemory, this)
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
    connect(&m_free, &FreeMemoryWatch::changed, this, &MemoryPanel::showOutcome);
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

void MemoryPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    watchFreeMemory();
}

void MemoryPanel::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_free.stop();
}

void MemoryPanel::setHeld(int64_t bytes)
{
    m_held = bytes;
    showOutcome();
}

void MemoryPanel::watchFreeMemory()
{
    if (isVisible() && m_outcome != nullptr && m_outcome->plan) {
        m_free.start(m_outcome->plan->config);
    } else {
        m_free.stop();
    }
}

void MemoryPanel::plan()
{
    m_task.cancel();
    const SharedData& data = m_analysis.data();
    if (m_planner.plan == nullptr || data == nullptr) {
        m_outcome.reset();
        showOutcome();
        return;
    }
    m_task.request(
        [data, choice = m_model.choice(), planner = m_planner](const std::stop_token& stop) -> SharedOutcome {
            const auto extents = runExtents(*data);
            auto plan
                = extents.and_then([&](const RunExtents& rows) { return planner.plan(choice, rows, PlanDetail::all); });
            std::vector<Remedy> remedies;
            if (plan && planner.remedies != nullptr && !stop.stop_requested()) {
                remedies = planner.remedies(choice, *extents, *plan);
            }
            const MemoryLimit limit = plan ? memoryLimitOf(plan->config) : MemoryLimit {};
            return std::make_shared<const Outcome>(Outcome { std::move(plan), limit, std::move(remedies) });
        });
}

void MemoryPanel::take(const SharedOutcome& outcome)
{
    m_outcome = outcome;
    watchFreeMemory();
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
    const Room room = this->room();
    m_strip->show(m_outcome->plan->atPeak, room.limit.bytes);
    m_strip->setRoomHelp(othersText());
    m_headline->setToolTip(othersText());
    const bool splits = room.limit.bytes > 0 && room.needed > room.limit.bytes && !room.isFreeMemory
        && m_outcome->plan->config.onOutOfMemory == OutOfMemoryAction::split;
    m_headline->setText(tr("Planned peak memory <b>%1</b>%2%3")
                            .arg(formatBytes(room.needed), roomText(room), splits ? tr("; will be split") : QString())
        + "<br>" + timeText(*m_outcome->plan));
    QStringList lines;
    for (size_t i = 0; i < std::min(mostRemedies, m_outcome->remedies.size()); ++i) {
        lines.push_back(linked(m_outcome->remedies[i], i, palette()));
    }
    m_remedies->setText(lines.join(QStringLiteral("<br>")));
    m_remedies->setVisible(!lines.isEmpty());
}

QString MemoryPanel::timeText(const MemoryPlan& plan) const
{
    if (!plan.seconds()) {
        return tr("<span style='color:%1'>No planned time. %2</span>")
            .arg(mutedColour(palette()).name(), QString::fromStdString(plan.noTime).toHtmlEscaped());
    }
    const auto steps = static_cast<double>(plan.counts.totalSteps);
    const QString step = formatDuration(*plan.seconds()), all = formatDuration(*plan.seconds() * steps);
    return (plan.secondsPerStep ? tr("Planned time <b>%1 a step</b>, %2 in all, evaluations left out")
                                : tr("Time at best <b>%1 a step</b>, %2 in all, evaluations left out"))
        .arg(step, all);
}

MemoryPanel::Room MemoryPanel::room() const
{
    const MemoryPlan& plan = *m_outcome->plan;
    const MemoryLimit& limit = m_outcome->limit;
    const int64_t free = m_free.reading().bytes == 0 ? 0 : m_free.reading().bytes + m_held;
    if (free > 0 && (limit.bytes == 0 || free < limit.bytes)) {
        // On a card; what the libraries hold of the computer's memory this program holds already.
        const int64_t needed = plan.peakReserved ? plan.peakProcess.value_or(plan.needed()) : plan.needed();
        return { needed, { free, tr("free now") }, true };
    }
    return { plan.needed(), limit };
}

QString MemoryPanel::roomText(const Room& room) const
{
    if (room.limit.bytes == 0) {
        return {};
    }
    const int64_t left = room.limit.bytes - room.needed;
    if (left >= 0) {
        return tr(" of %1 (%2): %3 free").arg(formatBytes(room.limit.bytes), room.limit.name, formatBytes(left));
    }
    QString much = tr(", <span style='color:%1'>%2 more than the %3 %4</span>")
                       .arg(errorColour(palette()).name(), formatBytes(-left), formatBytes(room.limit.bytes),
                           room.isFreeMemory ? room.limit.name : tr("of %1").arg(room.limit.name));
    if (!room.isFreeMemory) {
        return much;
    }
    // The first programs that together hold as much as is missing.
    int64_t gain = 0;
    QStringList names;
    for (const ProgramMemory& program : m_free.reading().others) {
        gain += program.bytes;
        names.push_back(QString::fromStdString(program.name).toHtmlEscaped());
        if (gain >= -left) {
            return much + tr("; closing %1 would make room").arg(names.join(tr(" and ")));
        }
    }
    return much;
}

QString MemoryPanel::othersText() const
{
    QStringList lines;
    for (const ProgramMemory& program : m_free.reading().others) {
        const QString name = QString::fromStdString(program.name).toHtmlEscaped();
        lines.push_back(tr("%1: %2").arg(
            program.processes > 1 ? tr("%1 (%2 processes)").arg(name, formatCount(program.processes)) : name,
            formatBytes(program.bytes)));
    }
    return lines.isEmpty() ? QString()
                           : tr("<b>Other programs hold</b>, and closing them would give back:<br>%1")
                                 .arg(lines.join(QStringLiteral("<br>")));
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
