#include "ui/plan/fit_table.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/plan/plan_queue.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

namespace tunebench {

namespace {

constexpr int fitRole = Qt::UserRole;
constexpr int ownRole = Qt::UserRole + 1;

/// Frames the cell of the form's own options.
class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.data(ownRole).toBool()) {
            painter->save();
            painter->setPen(QPen(option.palette.color(QPalette::Highlight), 3));
            painter->drawRect(option.rect.adjusted(1, 1, -2, -2));
            painter->restore();
        }
    }
};

/// Of so many rows, whatever the step of the plan has, so that cells can be compared.
double secondsFor(const MemoryPlan& plan, int64_t rows)
{
    return *plan.seconds() * static_cast<double>(rows) / static_cast<double>(plan.config.rowsPerStep());
}

QString cellText(const MemoryPlan& plan, Fit fit, int64_t rows)
{
    QString text = QString(fitSign(fit)) + ' ' + formatBytes(plan.needed());
    if (plan.seconds()) {
        text += plan.secondsPerStep ? QStringLiteral("\n") : QStringLiteral("\n\u2265\u00a0");
        text += formatDuration(secondsFor(plan, rows));
    }
    return text;
}

/// The same for those who do not see the cell, and for the mouse.
QString explained(const MemoryPlan& plan, const MemoryLimit& limit, int64_t rows)
{
    const RunConfig& config = plan.config;
    QString text = FitTable::tr("batch_size %1, accumulation_steps %2, max_length %3: %4")
                       .arg(formatCount(config.batchSize), formatCount(config.accumulationSteps),
                           formatCount(config.maxLength), formatBytes(plan.needed()));
    if (const Fit fit = fitOf(plan.needed(), limit.bytes); fit != Fit::unknown) {
        text += FitTable::tr(" of %1 (%2), %3").arg(formatBytes(limit.bytes), limit.name, fitText(fit));
    }
    text += '.';
    if (plan.seconds()) {
        text += FitTable::tr(" %1 for %2 rows.").arg(plannedDuration(plan, secondsFor(plan, rows)), formatCount(rows));
    }
    return plan.noTime.empty() ? text : text + ' ' + QString::fromStdString(plan.noTime);
}

} // namespace

FitTable::FitTable(PlanQueue& queue, QWidget* parent)
    : ChoiceTable(parent)
    , m_queue(queue)
{
    setItemDelegate(new CellDelegate(this));
    showAllRows();
    setAccessibleName(tr("What fits, by batch size and max_length"));
    connect(this, &ChoiceTable::chosen, this, [this](int row, int column) { emit taken(cellAt(row, column)); });
}

void FitTable::plan(const PlanBasis& basis, const Variation& shown)
{
    m_basis = basis;
    m_shown = shown;
    m_batches = plannedBatchSizes(basis);
    m_lengths = plannedLengths(basis);
    m_problem.clear();
    clearContents();
    setRowCount(static_cast<int>(m_batches.size()));
    setColumnCount(static_cast<int>(m_lengths.size()));
    verticalHeader()->setDefaultSectionSize(2 * fontMetrics().height() + 6);
    QStringList rows;
    for (const int64_t batch : m_batches) {
        rows.push_back(tr("batch %1").arg(formatCount(batch)));
    }
    setVerticalHeaderLabels(rows);
    QStringList columns;
    for (const int64_t length : m_lengths) {
        columns.push_back(tr("%1 tokens").arg(formatCount(length)));
    }
    setHorizontalHeaderLabels(columns);
    for (int row = 0; row < rowCount(); ++row) {
        for (int column = 0; column < columnCount(); ++column) {
            ask(row, column);
        }
    }
    updateGeometry();
    emit problemChanged();
}

QSize FitTable::minimumSizeHint() const
{
    const int widest = fontMetrics().horizontalAdvance(tr("%1 1,000 MiB").arg(QString(fitSign(Fit::fits))));
    const int column = widest + 3 * fontMetrics().averageCharWidth(); // the cell's own margins
    const int whole = verticalHeader()->sizeHint().width() + columnCount() * column + 2 * frameWidth();
    return { whole, ChoiceTable::minimumSizeHint().height() };
}

void FitTable::clearPlans()
{
    setRowCount(0);
    setColumnCount(0);
    updateGeometry();
}

void FitTable::ask(int row, int column)
{
    auto* item = new QTableWidgetItem(QStringLiteral("\u2026"));
    item->setTextAlignment(Qt::AlignCenter);
    item->setData(ownRole, isOwn(cellAt(row, column)));
    setItem(row, column, item);
    m_queue.ask(varied(m_basis.choice, cellAt(row, column)), PlanDetail::figures,
        [this, row, column](const Result<MemoryPlan>& plan) { showPlan(row, column, plan); });
}

void FitTable::showPlan(int row, int column, const Result<MemoryPlan>& plan)
{
    QTableWidgetItem& cell = *item(row, column);
    if (!plan) {
        const QString message = QString::fromStdString(plan.error().message);
        cell.setText(unknownText());
        cell.setToolTip(message);
        if (m_problem.isEmpty()) {
            m_problem = message;
            emit problemChanged();
        }
        return;
    }
    const Fit fit = fitOf(plan->needed(), m_basis.limit.bytes);
    const int64_t rows = m_basis.choice.values.rowsPerStep();
    cell.setText(cellText(*plan, fit, rows));
    cell.setData(fitRole, static_cast<int>(fit));
    cell.setToolTip(explained(*plan, m_basis.limit, rows));
    cell.setData(Qt::AccessibleTextRole, cell.toolTip());
    colour(cell);
}

void FitTable::colour(QTableWidgetItem& item) const
{
    const Fit fit = static_cast<Fit>(item.data(fitRole).toInt());
    if (fit == Fit::unknown) {
        return;
    }
    constexpr double strength = 0.3;
    const QColor colour = mixed(palette().color(QPalette::Base), fitColour(palette(), fit), strength);
    item.setBackground(QBrush(colour, fit == Fit::tooBig ? Qt::BDiagPattern : Qt::SolidPattern));
}

Variation FitTable::cellAt(int row, int column) const
{
    Variation cell = m_shown;
    cell.batchSize = m_batches.at(static_cast<size_t>(row));
    cell.maxLength = m_lengths.at(static_cast<size_t>(column));
    return cell;
}

bool FitTable::isOwn(const Variation& cell) const
{
    return varied(m_basis.choice, cell).values == m_basis.choice.values;
}

void FitTable::changeEvent(QEvent* event)
{
    ChoiceTable::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        for (int row = 0; row < rowCount(); ++row) {
            for (int column = 0; column < columnCount(); ++column) {
                colour(*item(row, column));
            }
        }
    }
}

} // namespace tunebench
