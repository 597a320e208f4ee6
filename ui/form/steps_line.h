#pragma once

#include "core/config/run_config.h"
#include "ui/form/row_counter.h"

#include <QLabel>

namespace tunebench {

/// What batch, accumulation and rows come to: effective batch and optimizer steps, shown as they change.
class StepsLine : public QLabel {
    Q_OBJECT
public:
    StepsLine(RowCounter& counter, QWidget* parent);

    void setConfig(const RunConfig& config);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    RowCounter& m_counter;
    RunConfig m_config;
};

} // namespace tunebench
