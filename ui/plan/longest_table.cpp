#include "ui/plan/longest_table.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/plan/plan_queue.h"

#include <algorithm>
#include <array>

namespace tunebench {

namespace {

constexpr std::array kinds { GradientCheckpointing::off, GradientCheckpointing::full };
constexpr int64_t multiple = 8; // tokens

} // namespace

LongestTable::LongestTable(PlanQueue& queue, QWidget* parent)
    : ChoiceTable(parent)
    , m_queue(queue)
{
    showAllRows();
    setColumnCount(static_cast<int>(kinds.size()));
    setHorizontalHeaderLabels({ tr("without recomputing"), tr("gradient_checkpointing full") });
    setAccessibleName(tr("Longest max_length that fits, by batch size"));
    connect(this, &ChoiceTable::chosen, this, &LongestTable::choose);
}

void LongestTable::clearPlans()
{
    setRowCount(0);
    m_searches.clear();
    updateGeometry();
}

void LongestTable::plan(const PlanBasis& basis, const std::optional<NumberType>& numbers)
{
    m_basis = basis;
    m_batches = plannedBatchSizes(basis);
    m_lengths = plannedLengths(basis);
    std::erase_if(m_lengths, [most = longestLength(basis)](int64_t length) { return length > most; });
    m_searches.clear();
    clearContents();
    setRowCount(static_cast<int>(m_batches.size()));
    QStringList names;
    for (const int64_t batch : m_batches) {
        names.push_back(tr("batch %1").arg(formatCount(batch)));
        for (const GradientCheckpointing kind : kinds) {
            m_searches.push_back({ { .batchSize = batch, .numbers = numbers, .checkpointing = kind } });
        }
    }
    setVerticalHeaderLabels(names);
    for (int row = 0; row < rowCount(); ++row) {
        for (int column = 0; column < columnCount(); ++column) {
            auto* item = new QTableWidgetItem(QStringLiteral("\u2026"));
            item->setTextAlignment(Qt::AlignCenter);
            setItem(row, column, item);
            look(row, column, m_lengths.back());
        }
    }
    updateGeometry();
}

LongestTable::Search& LongestTable::searchAt(int row, int column)
{
    return m_searches.at(static_cast<size_t>(row) * static_cast<size_t>(columnCount()) + static_cast<size_t>(column));
}

void LongestTable::look(int row, int column, int64_t length)
{
    Variation variation = searchAt(row, column).variation;
    variation.maxLength = length;
    m_queue.ask(varied(m_basis.choice, variation), PlanDetail::figures,
        [this, row, column, length](const Result<MemoryPlan>& plan) { take(row, column, length, plan); });
}

void LongestTable::take(int row, int column, int64_t length, const Result<MemoryPlan>& plan)
{
    Search& search = searchAt(row, column);
    if (plan && fitOf(plan->needed(), m_basis.limit.bytes) == Fit::tooBig) {
        search.tooBig = length;
    } else {
        search.fits = length;
        search.leavesRows = plan.has_value();
    }
    if (const int64_t nextLength = next(search); nextLength > 0) {
        look(row, column, nextLength);
    } else {
        search.done = true;
        showFound(row, column);
    }
}

int64_t LongestTable::next(const Search& search) const
{
    if (search.tooBig == 0) {
        return 0; // the longest fits
    }
    // The other table has planned some lengths; between two of those by halves.
    std::vector<int64_t> between;
    std::ranges::copy_if(m_lengths, std::back_inserter(between),
        [&](int64_t length) { return length > search.fits && length < search.tooBig; });
    if (!between.empty()) {
        return between[between.size() / 2];
    }
    const int64_t middle = (search.fits + search.tooBig) / 2 / multiple * multiple;
    return middle > search.fits ? middle : 0;
}

void LongestTable::showFound(int row, int column)
{
    const Search& search = searchAt(row, column);
    QTableWidgetItem& cell = *item(row, column);
    if (!search.leavesRows) {
        cell.setText(tr("none"));
        cell.setToolTip(tr("Not even the shortest length that leaves rows to train on fits."));
    } else if (search.tooBig == 0) {
        cell.setText(tr("%1 (all rows whole)").arg(formatCount(search.fits)));
        cell.setToolTip(tr("The longest row fits; a larger max_length changes nothing."));
    } else {
        cell.setText(formatCount(search.fits));
        cell.setToolTip(tr("%1 tokens do not fit.").arg(formatCount(search.tooBig)));
    }
}

void LongestTable::choose(int row, int column)
{
    if (const Search& search = searchAt(row, column); search.done && search.leavesRows) {
        Variation found = search.variation;
        found.maxLength = search.fits;
        emit taken(found);
    }
}

} // namespace tunebench
