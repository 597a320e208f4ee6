#pragma once

#include "core/data/preview.h"

#include <QTableWidget>

namespace tunebench {

/// The first rows of a dataset as they stand in its files, before anything is counted: a line a row, a column a column.
class PreviewTable : public QTableWidget {
    Q_OBJECT
public:
    explicit PreviewTable(QWidget* parent);

    void showPreview(const DatasetPreview& preview);

private:
    void showRow(int row, const PreviewRow& shown, const std::vector<std::string>& columns);
};

} // namespace tunebench
