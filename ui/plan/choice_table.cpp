#include "ui/plan/choice_table.h"

#include <QHeaderView>
#include <QKeyEvent>

namespace tunebench {

ChoiceTable::ChoiceTable(QWidget* parent)
    : QTableWidget(parent)
{
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    setTabKeyNavigation(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    horizontalHeader()->setHighlightSections(false);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    verticalHeader()->setHighlightSections(false);
    setCursor(Qt::PointingHandCursor);
    connect(this, &QTableWidget::cellClicked, this, &ChoiceTable::chosen);
}

void ChoiceTable::showAllRows()
{
    m_showsAllRows = true;
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize ChoiceTable::sizeHint() const
{
    const QSize usual = QTableWidget::sizeHint();
    const int whole = horizontalHeader()->sizeHint().height() + rowCount() * verticalHeader()->defaultSectionSize()
        + 2 * frameWidth();
    return m_showsAllRows ? QSize(usual.width(), whole) : usual;
}

QSize ChoiceTable::minimumSizeHint() const
{
    return m_showsAllRows ? sizeHint() : QTableWidget::minimumSizeHint();
}

void ChoiceTable::keyPressEvent(QKeyEvent* event)
{
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentItem() != nullptr) {
        emit chosen(currentRow(), currentColumn());
        return;
    }
    QTableWidget::keyPressEvent(event);
}

} // namespace tunebench
