#include "ui/plan/why_table.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/plan/plan_queue.h"
#include "ui/plan/single_changes.h"

#include <QHeaderView>

#include <algorithm>
#include <cmath>

namespace tunebench {

namespace {

constexpr double leastTime = 0.005; // of a step's time; less is no difference

QString signedText(bool negative, const QString& size)
{
    return (negative ? QStringLiteral("\u2212") : QStringLiteral("+")) + size;
}

QString memoryText(int64_t more)
{
    return more == 0 ? WhyTable::tr("same") : signedText(more < 0, formatBytes(std::abs(more)));
}

QString timeText(const std::optional<double>& more)
{
    if (!more) {
        return unknownText();
    }
    return std::abs(*more) < leastTime ? WhyTable::tr("same") : signedText(*more < 0, formatShare(std::abs(*more)));
}

} // namespace

WhyTable::WhyTable(PlanQueue& queue, QWidget* parent)
    : ChoiceTable(parent)
    , m_queue(queue)
{
    setColumnCount(4);
    setHorizontalHeaderLabels({ tr("This change alone"), tr("memory"), tr("time a step"), tr("then") });
    setShowGrid(false);
    setAlternatingRowColors(true);
    verticalHeader()->hide();
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    setAccessibleName(tr("What each option alone would cost or save"));
    connect(this, &ChoiceTable::chosen, this, [this](int row) { choose(row); });
}

void WhyTable::clearPlans()
{
    m_changes.clear();
    setRowCount(0);
    emit changed();
}

std::vector<NamedChoice> WhyTable::changes() const
{
    return { m_changes.begin(), m_changes.end() };
}

void WhyTable::plan(const PlanBasis& basis)
{
    clearPlans();
    m_basis = basis;
    m_queue.ask(basis.choice, PlanDetail::figures, [this](const Result<MemoryPlan>& plan) {
        if (plan) {
            askChanges(*plan);
        }
    });
}

void WhyTable::askChanges(const MemoryPlan& now)
{
    int number = 0;
    for (const OptionChanges& changes : singleChanges(now.config, longestLength(m_basis))) {
        Change change { { QString::fromStdString(changesText(changes)), m_basis.choice }, number++ };
        if (changes.front().first == "batch_size") {
            change.choice = withoutEffectiveBatch(std::move(change.choice));
        }
        if (applyChanges(change.choice, changes)) {
            m_queue.ask(change.choice, PlanDetail::figures,
                [this, change, now](const Result<MemoryPlan>& plan) { take(change, now, plan); });
        }
    }
}

void WhyTable::take(Change change, const MemoryPlan& now, const Result<MemoryPlan>& plan)
{
    if (!plan) {
        return; // options that do not go together
    }
    change.bytes = plan->needed() - now.needed();
    if (plan->seconds() && now.seconds()) {
        change.time = *plan->seconds() / *now.seconds() - 1;
    }
    if (change.bytes == 0 && std::abs(change.time.value_or(0)) < leastTime) {
        return;
    }
    change.fit = fitOf(plan->needed(), m_basis.limit.bytes);
    const auto behind = std::ranges::upper_bound(m_changes, std::pair(change.bytes, change.number), {},
        [](const Change& one) { return std::pair(one.bytes, one.number); });
    m_changes.insert(behind, std::move(change));
    fill();
    emit changed();
}

void WhyTable::fill()
{
    setRowCount(static_cast<int>(m_changes.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const Change& change = m_changes[static_cast<size_t>(row)];
        const QString fit = QString(fitSign(change.fit)) + ' ' + fitText(change.fit);
        const QStringList texts { change.text, memoryText(change.bytes), timeText(change.time), fit.trimmed() };
        for (int column = 0; column < columnCount(); ++column) {
            auto* item = new QTableWidgetItem(texts.at(column));
            item->setTextAlignment(Qt::AlignVCenter | (column == 1 || column == 2 ? Qt::AlignRight : Qt::AlignLeft));
            if (column == 3) {
                item->setForeground(fitColour(palette(), change.fit));
            }
            setItem(row, column, item);
        }
    }
}

void WhyTable::choose(int row)
{
    const Change& change = m_changes.at(static_cast<size_t>(row));
    const auto [choice, text] = std::pair(change.choice, change.text); // taking it makes other rows
    emit taken(choice, text);
}

void WhyTable::changeEvent(QEvent* event)
{
    ChoiceTable::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        fill();
    }
}

} // namespace tunebench
