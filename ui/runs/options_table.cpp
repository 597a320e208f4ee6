#include "ui/runs/options_table.h"

#include "core/config/options.h"
#include "ui/base/format.h"
#include "ui/form/line_editor.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

QString shownValue(const nlohmann::json& value)
{
    const QString text = valueText(value);
    return text.isEmpty() ? unknownText() : text;
}

} // namespace

OptionsTable::OptionsTable(QWidget* parent)
    : QWidget(parent)
    , m_onlyChanged(new QCheckBox(tr("Only what differs from the defaul&ts"), this))
    , m_table(new QTableWidget(this))
{
    m_table->setColumnCount(4);
    m_table->setHorizontalHeaderLabels({ tr("Option"), tr("Key"), tr("Default"), tr("Value") });
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->setAccessibleName(tr("Options of the run"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_onlyChanged);
    layout->addWidget(m_table, 1);
    connect(m_onlyChanged, &QCheckBox::toggled, this, &OptionsTable::refresh);
}

void OptionsTable::showConfig(const RunConfig& config)
{
    m_table->setRowCount(0);
    for (const Option& option : options()) {
        const auto value = optionValue(config, option.key);
        const auto standard = optionValue(RunConfig {}, option.key);
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        const QStringList texts { QString::fromStdString(option.label), QString::fromStdString(option.key),
            shownValue(standard), shownValue(value) };
        for (int column = 0; column < texts.size(); ++column) {
            auto* item = new QTableWidgetItem(texts.at(column));
            QFont font = m_table->font();
            font.setBold(value != standard && (column == 0 || column == 3));
            item->setFont(font);
            item->setToolTip(column == 3 ? texts.at(column) : QString::fromStdString(option.help));
            m_table->setItem(row, column, item);
        }
        m_table->item(row, 0)->setData(Qt::UserRole, value != standard);
    }
    for (const int column : { 0, 1, 2 }) {
        m_table->resizeColumnToContents(column);
    }
    refresh();
}

void OptionsTable::clear()
{
    m_table->setRowCount(0);
}

void OptionsTable::refresh()
{
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const bool changed = m_table->item(row, 0)->data(Qt::UserRole).toBool();
        m_table->setRowHidden(row, m_onlyChanged->isChecked() && !changed);
    }
}

} // namespace tunebench
