#pragma once

#include "ui/data/data_analysis.h"

#include <QWidget>

class QLabel;
class QTableWidget;

namespace tunebench {

/// The share of slots that padding would waste in an epoch, for batch sizes and orders; the options' own is marked.
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
    struct Row {
        int64_t batchSize = 0;
        std::vector<double> shares; ///< by order, as in the enumeration
    };
    using Wastes = std::vector<Row>;
    static Wastes wastesOf(const AnalysedData& data, const RunConfig& config, const std::stop_token& stop);
    void fill();

    RunConfig m_config;
    QLabel* m_sentence;
    QTableWidget* m_table;
    Wastes m_wastes;
    LatestTask<Wastes> m_task;
};

} // namespace tunebench
