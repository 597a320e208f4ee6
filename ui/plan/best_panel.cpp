#include "ui/plan/best_panel.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/plan/plan_queue.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace tunebench {

namespace {

/// From the fastest to the leanest.
constexpr std::array kinds { GradientCheckpointing::off, GradientCheckpointing::selective,
    GradientCheckpointing::full };

QString partsText(const RunConfig& config)
{
    return BestPanel::tr("batch_size %1 with accumulation_steps %2, gradient_checkpointing %3")
        .arg(formatCount(config.batchSize), formatCount(config.accumulationSteps),
            toQString(choiceName(config.gradientCheckpointing)));
}

} // namespace

BestPanel::BestPanel(PlanQueue& queue, QWidget* parent)
    : QWidget(parent)
    , m_queue(queue)
    , m_sentence(new QLabel(this))
    , m_take(new QPushButton(tr("Take the &best"), this))
{
    m_sentence->setWordWrap(true);
    m_sentence->setTextFormat(Qt::RichText);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(m_sentence);
    layout->addWidget(m_take, 0, Qt::AlignLeft);
    connect(m_take, &QPushButton::clicked, this, [this] { emit taken(m_best); });
    clearPlans();
}

QString BestPanel::sentence() const
{
    return m_sentence->text();
}

void BestPanel::clearPlans()
{
    m_candidates.clear();
    m_sentence->clear();
    m_take->setEnabled(false);
}

void BestPanel::plan(const PlanBasis& basis, const std::optional<NumberType>& numbers)
{
    clearPlans();
    m_basis = basis;
    const int64_t effective = basis.choice.values.rowsPerStep();
    std::vector<int64_t> batches = plannedBatchSizes(basis);
    std::ranges::reverse(batches); // of two that are as fast, the first one stands: fewer micro-batches
    for (const GradientCheckpointing kind : kinds) {
        for (const int64_t batch : batches) {
            if (effective % batch == 0) {
                m_candidates.push_back({ { .batchSize = batch, .numbers = numbers, .checkpointing = kind }, {} });
            }
        }
    }
    m_sentence->setText(tr("Looking for the best\u2026"));
    for (size_t index = 0; index < m_candidates.size(); ++index) {
        m_queue.ask(varied(basis.choice, m_candidates[index].variation), PlanDetail::figures,
            [this, index](const Result<MemoryPlan>& plan) { take(index, plan); });
    }
}

void BestPanel::take(size_t index, const Result<MemoryPlan>& plan)
{
    Candidate& candidate = m_candidates.at(index);
    candidate.answered = true;
    if (plan) {
        candidate.plan = *plan;
    }
    if (std::ranges::all_of(m_candidates, &Candidate::answered)) {
        showBest();
    }
}

const BestPanel::Candidate* BestPanel::best() const
{
    const Candidate* best = nullptr;
    for (const Candidate& candidate : m_candidates) {
        if (!candidate.plan || fitOf(candidate.plan->needed(), m_basis.limit.bytes) == Fit::tooBig) {
            continue;
        }
        // Without times the order of the candidates decides.
        const bool isFaster = best != nullptr && candidate.plan->seconds() && best->plan->seconds()
            && *candidate.plan->seconds() < *best->plan->seconds();
        if (best == nullptr || isFaster) {
            best = &candidate;
        }
    }
    return best;
}

void BestPanel::showBest()
{
    const Candidate* found = best();
    m_take->setEnabled(false);
    if (found == nullptr) {
        const auto planned
            = std::ranges::find_if(m_candidates, [](const Candidate& one) { return one.plan.has_value(); });
        m_sentence->setText(planned == m_candidates.end()
                ? tr("Nothing could be planned.")
                : tr("Nothing fits: even batch_size 1 with gradient_checkpointing full needs more. Lower max_length or "
                     "precision, or choose a smaller model."));
        return;
    }
    m_best = found->variation;
    const ConfigChoice taken = varied(m_basis.choice, m_best);
    const bool isOwn = taken.values == m_basis.choice.values;
    m_take->setEnabled(!isOwn);
    m_sentence->setText(
        tr("<b>%1</b>%2. %3")
            .arg(partsText(found->plan->config), isOwn ? tr(" (yours)") : QString(), reason(*found).toHtmlEscaped()));
}

QString BestPanel::reason(const Candidate& best) const
{
    const MemoryPlan& plan = *best.plan;
    const auto fitting = std::ranges::count_if(m_candidates, [&](const Candidate& one) {
        return one.plan && fitOf(one.plan->needed(), m_basis.limit.bytes) != Fit::tooBig;
    });
    const QString room = m_basis.limit.bytes > 0
        ? tr("%1 of %2").arg(formatBytes(plan.needed()), formatBytes(m_basis.limit.bytes))
        : formatBytes(plan.needed());
    QString text = plan.seconds()
        ? tr("The fastest of the %1 combinations that fit, of %2: %3 a step, %4.")
              .arg(formatCount(fitting), formatCount(static_cast<int64_t>(m_candidates.size())),
                  plannedDuration(plan, *plan.seconds()), room)
        : tr("It fits with the least recomputing and the fewest micro-batches: %1. %2")
              .arg(room, QString::fromStdString(plan.noTime));
    const auto without = std::ranges::find_if(m_candidates, [&](const Candidate& one) {
        return one.plan && one.plan->config.batchSize == plan.config.batchSize
            && one.plan->config.gradientCheckpointing == GradientCheckpointing::off;
    });
    if (plan.config.gradientCheckpointing != GradientCheckpointing::off && without != m_candidates.end()
        && fitOf(without->plan->needed(), m_basis.limit.bytes) == Fit::tooBig) {
        text += tr(" Without recomputing it would need %1.").arg(formatBytes(without->plan->needed()));
    }
    return text;
}

} // namespace tunebench
