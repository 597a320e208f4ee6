#include "ui/data/refusal_tree.h"

#include "ui/base/format.h"

#include <QFileInfo>
#include <QHeaderView>

#include <set>

namespace tunebench {

namespace {

/// Whether the rows shown come from more than one file.
bool haveSeveralFiles(const std::vector<RefusalGroup>& groups)
{
    std::set<std::string> files;
    for (const RefusalGroup& group : groups) {
        for (const RefusedRow* row : group.first) {
            files.insert(row->file);
        }
    }
    return files.size() > 1;
}

QString placeOf(const RefusedRow& row, bool withFile)
{
    const QString line = RefusalTree::tr("line %1").arg(formatCount(static_cast<int64_t>(row.line)));
    return withFile ? QStringLiteral("%1, %2").arg(QFileInfo(QString::fromStdString(row.file)).fileName(), line) : line;
}

} // namespace

RefusalTree::RefusalTree(QWidget* parent)
    : QTreeWidget(parent)
{
    setHeaderLabels({ tr("Refused because"), tr("Rows") });
    setAccessibleName(tr("Refused rows by reason"));
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setTextElideMode(Qt::ElideMiddle);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(this, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        const QVariant row = item->data(0, Qt::UserRole);
        if (row.isValid()) {
            emit rowWanted(row.toLongLong());
        }
    });
}

void RefusalTree::showRefusals(const std::vector<RefusalGroup>& groups)
{
    clear();
    const bool severalFiles = haveSeveralFiles(groups);
    for (const RefusalGroup& group : groups) {
        const QString reason = QString::fromStdString(group.reason);
        auto* top = new QTreeWidgetItem(this, { reason, formatCount(static_cast<int64_t>(group.count)) });
        top->setToolTip(0, reason);
        top->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        top->setData(0, Qt::UserRole, static_cast<qint64>(group.first.front()->row));
        for (const RefusedRow* row : group.first) {
            const QString detail = QString::fromStdString(row->reason);
            const QString place = placeOf(*row, severalFiles);
            auto* item
                = new QTreeWidgetItem(top, { detail == reason ? place : QStringLiteral("%1: %2").arg(place, detail) });
            item->setToolTip(0, tr("%1\nPress Enter or double click to look at the row.").arg(detail));
            item->setData(0, Qt::UserRole, static_cast<qint64>(row->row));
        }
        if (group.count > group.first.size()) {
            auto* more = new QTreeWidgetItem(
                top, { tr("and %1 more").arg(formatCount(static_cast<int64_t>(group.count - group.first.size()))) });
            more->setFlags(Qt::NoItemFlags);
        }
    }
    // A few reasons are read at a glance.
    constexpr size_t few = 2;
    if (groups.size() <= few) {
        expandAll();
    }
}

} // namespace tunebench
