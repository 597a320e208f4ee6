#include "ui/plan/step_panel.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/plan/plan_queue.h"
#include "ui/plan/step_plot.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

namespace tunebench {

namespace {

QString nameOf(GradientCheckpointing kind)
{
    return toQString(choiceName(kind));
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
    for (size_t kind = 0; kind < ChoiceNames<GradientCheckpointing>::names.size(); ++kind) {
        m_kinds->addItem(nameOf(static_cast<GradientCheckpointing>(kind)), static_cast<int>(kind));
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

GradientCheckpointing StepPanel::otherKind() const
{
    if (const QVariant chosen = m_kinds->currentData(); chosen.isValid()) {
        return static_cast<GradientCheckpointing>(chosen.toInt());
    }
    return m_basis.choice.values.gradientCheckpointing == GradientCheckpointing::off ? GradientCheckpointing::full
                                                                                     : GradientCheckpointing::off;
}

void StepPanel::plan(const PlanBasis& basis)
{
    m_basis = basis;
    m_queue.ask(basis.choice, PlanDetail::all, [this](const Result<MemoryPlan>& plan) {
        m_own = plan ? std::optional(*plan) : std::nullopt;
        m_plot->setOwn(plan ? plan->curve : std::vector<CurvePoint>(),
            tr("yours (%1)").arg(nameOf(m_basis.choice.values.gradientCheckpointing)));
        showSentence();
    });
    askOther();
}

void StepPanel::askOther()
{
    if (m_basis.data == nullptr) {
        return;
    }
    const GradientCheckpointing kind = otherKind();
    m_queue.ask(varied(m_basis.choice, { .checkpointing = kind }), PlanDetail::all,
        [this, kind](const Result<MemoryPlan>& plan) {
            if (kind != otherKind()) { // another was chosen meanwhile
                return;
            }
            m_other = plan ? std::optional(*plan) : std::nullopt;
            m_plot->setOther(plan ? plan->curve : std::vector<CurvePoint>(), nameOf(kind));
            showSentence();
        });
}

void StepPanel::showSentence()
{
    if (!m_own || !m_other) {
        m_sentence->clear();
        return;
    }
    QString text = tr("With gradient_checkpointing %1 the peak is %2")
                       .arg(nameOf(otherKind()), difference(m_other->peakAllocated - m_own->peakAllocated));
    if (m_own->secondsPerStep && m_other->secondsPerStep) {
        const double change = *m_other->secondsPerStep / *m_own->secondsPerStep - 1;
        text += tr(", and a step takes %1 %2")
                    .arg(formatShare(std::abs(change)), change < 0 ? tr("less") : tr("longer"));
    }
    m_sentence->setText(text + '.');
}

} // namespace tunebench
