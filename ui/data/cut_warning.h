#pragma once

#include "ui/data/data_analysis.h"

#include <QLabel>

namespace tunebench {

/// Warns beside the form where max_length cuts a part off more than one answer in a hundred.
class CutWarning : public QLabel {
    Q_OBJECT
public:
    CutWarning(DataAnalysis& analysis, QWidget* parent);

    void setConfig(const RunConfig& config);

signals:
    void rowsWanted();

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Loss {
        int64_t maxLength = 0, answers = 0, rows = 0;
    };
    void count();
    void refresh();

    DataAnalysis& m_analysis;
    RunConfig m_config;
    Loss m_loss;
    LatestTask<Loss> m_task;
};

} // namespace tunebench
