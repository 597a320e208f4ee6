#include "ui/plan/step_panel.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/plan/plan_queue.h"
#include "ui/plan/step_plot.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tunebench {

namespace {

/// "full", "full, every 4 layers".
QString nameOf(GradientCheckpointing kind, int64_t everyLayers)
{
    const QString name = toQString(choiceName(kind));
    const bool hasSegments = kind == GradientCheckpointing::full || kind == GradientCheckpointing::offload;
    return hasSegments && everyLayers > 1 ? StepPanel::tr("%1, every %2 layers").arg(name).arg(everyLayers) : name;
}

QString nameOf(const Variation& other)
{
    return nameOf(*other.checkpointing, *other.everyLayers);
}

QString nameOf(const RunConfig& config)
{
    return nameOf(config.gradientCheckpointing, config.checkpointEveryLayers);
}

std::vector<Variation> comparedWith()
{
    std::vector<Variation> kinds;
    for (size_t kind = 0; kind < ChoiceNames<GradientCheckpointing>::names.size(); ++kind) {
        kinds.push_back({ .checkpointing = static_cast<GradientCheckpointing>(kind), .everyLayers = 1 });
    }
    for (const int64_t layers : { 2, 4, 8 }) {
        kinds.push_back({ .checkpointing = GradientCheckpointing::full, .everyLayers = layers });
    }
    return kinds;
}

/// "132 MiB less".
QString difference(int64_t bytes)
{
    return bytes == 0 ? StepPanel::tr("the same")
                      : StepPanel::tr(bytes < 0 ? "%1 less" : "%1 more").arg(formatBytes(std::abs(bytes)));
}

} // namespace

StepPanel::StepPanel(PlanQueue& queue, QWidget* parent)
    : QWidget(parent)
    , m_queue(queue)
    , m_kinds(new QComboBox(this))
    , m_plot(new StepPlot(this))
    , m_sentence(new QLabel(this))
{
    m_kinds->addItem(tr("the opposite"));
    for (const Variation& kind : comparedWith()) {
        m_kinds->addItem(nameOf(kind));
    }
    m_sentence->setWordWrap(true);
    auto* label = new QLabel(tr("&Compare with gradient_checkpointing"), this);
    label->setBuddy(m_kinds);
    auto* line = new QHBoxLayout;
    line->addWidget(label);
    line->addWidget(m_kinds);
    line->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(m_plot, 1);
    layout->addLayout(line);
    layout->addWidget(m_sentence);
    connect(m_kinds, &QComboBox::activated, this, &StepPanel::askOther);
    clearPlans();
}

QString StepPanel::sentence() const
{
    return m_sentence->text();
}

void StepPanel::clearPlans()
{
    m_own.reset();
    m_other.reset();
    m_basis = {};
    m_plot->setOwn({}, {});
    m_plot->setOther({}, {});
    m_sentence->clear();
}

Variation StepPanel::other() const
{
    if (m_kinds->currentIndex() > 0) {
        return comparedWith().at(static_cast<size_t>(m_kinds->currentIndex() - 1));
    }
    const bool isOff = m_basis.choice.values.gradientCheckpointing == GradientCheckpointing::off;
    return { .checkpointing = isOff ? GradientCheckpointing::full : GradientCheckpointing::off, .everyLayers = 1 };
}

void StepPanel::plan(const PlanBasis& basis)
{
    m_basis = basis;
    m_queue.ask(basis.choice, PlanDetail::all, [this](const Result<MemoryPlan>& plan) {
        m_own = plan ? std::optional(*plan) : std::nullopt;
        m_plot->setOwn(
            plan ? plan->curve : std::vector<CurvePoint>(), tr("yours (%1)").arg(nameOf(m_basis.choice.values)));
        showSentence();
    });
    askOther();
}

void StepPanel::askOther()
{
    if (m_basis.data == nullptr) {
        return;
    }
    const Variation asked = other();
    m_queue.ask(varied(m_basis.choice, asked), PlanDetail::all, [this, asked](const Result<MemoryPlan>& plan) {
        if (asked != other()) { // another was chosen meanwhile
            return;
        }
        m_other = plan ? std::optional(*plan) : std::nullopt;
        m_plot->setOther(plan ? plan->curve : std::vector<CurvePoint>(), nameOf(asked));
        showSentence();
    });
}

QString StepPanel::peakElsewhere() const
{
    const auto& curve = m_own->curve;
    const auto highest = std::ranges::max_element(curve, {}, &CurvePoint::peak);
    if (curve.empty() || highest->peak + m_own->libraryWorkspace >= m_own->peakAllocated) {
        return {};
    }
    return tr(" No step reaches the run's peak of %1: it is in the %2 (%3).")
        .arg(formatBytes(m_own->peakAllocated), toQString(m_own->place.pass), placeName(m_own->place));
}

void StepPanel::showSentence()
{
    if (!m_own || !m_other) {
        m_sentence->clear();
        return;
    }
    QString text = tr("With gradient_checkpointing %1 the peak is %2")
                       .arg(nameOf(other()), difference(m_other->peakAllocated - m_own->peakAllocated));
    if (m_own->seconds() && m_other->seconds()) {
        const double change = *m_other->seconds() / *m_own->seconds() - 1;
        text += tr(", and a step takes %1 %2")
                    .arg(formatShare(std::abs(change)), change < 0 ? tr("less") : tr("longer"));
    }
    m_sentence->setText(text + '.' + peakElsewhere());
}

} // namespace tunebench
