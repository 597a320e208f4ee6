#include "ui/data/preview_table.h"

#include "core/data/files/text_checks.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QHeaderView>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

constexpr size_t mostColumns = 40;
constexpr size_t mostBytes = 400; // of a cell; nobody reads more in a table

QString cellText(const nlohmann::ordered_json& value)
{
    const std::string text = value.is_string()
        ? value.get<std::string>()
        : value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    const std::string_view shown = cutToCharacter(text, mostBytes);
    return QString::fromUtf8(shown.data(), static_cast<qsizetype>(shown.size()))
        + (shown.size() < text.size() ? QStringLiteral("\u2026") : QString());
}

} // namespace

PreviewTable::PreviewTable(QWidget* parent)
    : QTableWidget(parent)
{
    setAccessibleName(tr("First rows of the dataset"));
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setWordWrap(true);
    setTabKeyNavigation(false);
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    horizontalHeader()->setMinimumSectionSize(fontMetrics().averageCharWidth() * 16);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().lineSpacing() * 3 + 6);
}

void PreviewTable::showPreview(const DatasetPreview& preview)
{
    const size_t columns = std::clamp<size_t>(preview.columns.size(), 1, mostColumns);
    clear();
    setColumnCount(static_cast<int>(columns));
    setRowCount(static_cast<int>(preview.rows.size()));
    QStringList names;
    for (size_t column = 0; column < std::min(columns, preview.columns.size()); ++column) {
        names.push_back(QString::fromStdString(preview.columns[column]));
    }
    setHorizontalHeaderLabels(names);
    QStringList lines;
    for (const PreviewRow& row : preview.rows) {
        showRow(static_cast<int>(lines.size()), row, preview.columns);
        lines.push_back(tr("line %1").arg(formatCount(static_cast<int64_t>(row.line))));
    }
    setVerticalHeaderLabels(lines);
}

void PreviewTable::showRow(int row, const PreviewRow& shown, const std::vector<std::string>& columns)
{
    if (!shown.row) {
        auto* item = new QTableWidgetItem(QString::fromStdString(shown.row.error()));
        item->setForeground(warningColour(palette()));
        setItem(row, 0, item);
        return;
    }
    for (int column = 0; column < std::min(columnCount(), static_cast<int>(columns.size())); ++column) {
        const auto value = shown.row->find(columns[static_cast<size_t>(column)]);
        if (value != shown.row->end()) {
            setItem(row, column, new QTableWidgetItem(cellText(*value)));
        }
    }
}

} // namespace tunebench
