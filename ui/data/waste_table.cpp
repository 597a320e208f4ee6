#include "ui/data/waste_table.h"

#include "core/config/choices.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

namespace tunebench {

namespace {

QString orderName(RowOrder order)
{
    const auto name = choiceName(order);
    return QString::fromUtf8(name.data(), static_cast<int>(name.size()));
}

} // namespace

WasteTable::WasteTable(QWidget* parent)
    : QWidget(parent)
    , m_sentence(new QLabel(this))
    , m_table(new QTableWidget(this))
    , m_task(this, [this](const Wastes& wastes) {
        m_wastes = wastes;
        fill();
    })
{
    auto* title = new QLabel(tr("Wasted by padding"), this);
    QFont bold = font();
    bold.setBold(true);
    title->setFont(bold);
    m_sentence->setWordWrap(true);
    m_sentence->setForegroundRole(QPalette::PlaceholderText);
    m_table->setColumnCount(static_cast<int>(wasteOrders.size()));
    QStringList names;
    for (const RowOrder order : wasteOrders) {
        names.push_back(orderName(order));
    }
    m_table->setHorizontalHeaderLabels(names);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    m_table->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_table->setAccessibleName(tr("Share of slots wasted by padding, by batch size and order"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(title);
    layout->addWidget(m_sentence);
    layout->addWidget(m_table);
}

void WasteTable::show(const SharedData& data, const RunConfig& config)
{
    m_config = config;
    m_task.cancel();
    m_task.request(
        [data, config](const std::stop_token& stop) { return wastesByBatch(data->inspection.extents, config, stop); });
}

QString WasteTable::sentence() const
{
    return m_sentence->text();
}

void WasteTable::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        fill();
    }
}

void WasteTable::fill()
{
    if (m_wastes.empty()) {
        return;
    }
    const int columns = m_table->columnCount();
    m_table->setRowCount(static_cast<int>(m_wastes.size()) / columns);
    QStringList names;
    double own = 0;
    for (int i = 0; i < static_cast<int>(m_wastes.size()); ++i) {
        const WasteByBatch& waste = m_wastes[static_cast<size_t>(i)];
        if (i % columns == 0) {
            names.push_back(tr("batch_size %1").arg(formatCount(waste.batchSize)));
        }
        auto* item = new QTableWidgetItem(formatShare(waste.share));
        item->setTextAlignment(Qt::AlignCenter);
        if (waste.batchSize == m_config.batchSize && waste.order == m_config.order) {
            own = waste.share;
            QFont bold = m_table->font();
            bold.setBold(true);
            item->setFont(bold);
            item->setText(tr("%1 (yours)").arg(item->text()));
            item->setBackground(mixed(palette().color(QPalette::Base), palette().color(QPalette::Highlight), 0.25));
        }
        m_table->setItem(i / columns, i % columns, item);
    }
    m_table->setVerticalHeaderLabels(names);
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height()
        + m_table->rowCount() * m_table->verticalHeader()->defaultSectionSize() + 2 * m_table->frameWidth());
    switch (m_config.padding) {
    case Padding::none:
        m_sentence->setText(tr("With your padding: none, rows lie side by side and nothing is wasted. Padded to the "
                               "longest row of each batch, this share of the slots would hold no token:"));
        break;
    case Padding::longest:
        m_sentence->setText(tr("With your padding: longest, %1 of the slots hold no token; padding: none wastes "
                               "nothing. Shares by batch size and order:")
                                .arg(formatShare(own)));
        break;
    case Padding::maxLength:
        m_sentence->setText(tr("Your padding: max_length fills every row up to max_length and wastes more than this; "
                               "padding: none wastes nothing. Padded to the longest row of each batch, this share of "
                               "the slots would hold no token:"));
        break;
    }
}

} // namespace tunebench
