#pragma once

#include "core/data/padding_waste.h"
#include "ui/data/data_analysis.h"

#include <QWidget>

class QLabel;
class QTableWidget;

namespace tunebench {

/// The share of slots that padding would waste in an epoch of the rows for training, for batch sizes and orders; the
/// options' own is marked.
class WasteTable : public QWidget {
    Q_OBJECT
public:
    explicit WasteTable(QWidget* parent);

    void show(const SharedData& data, const RunConfig& config);

    const QTableWidget* table() const { return m_table; }
    QString sentence() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    using Wastes = std::vector<WasteByBatch>;
    void fill();

    RunConfig m_config;
    QLabel* m_sentence;
    QTableWidget* m_table;
    Wastes m_wastes;
    LatestTask<Wastes> m_task;
};

} // namespace tunebench
