#pragma once

#include "core/config/run_config.h"

#include <QWidget>

class QCheckBox;
class QTableWidget;

namespace tunebench {

/// The options of a saved run beside the defaults; what differs is bold.
class OptionsTable : public QWidget {
    Q_OBJECT
public:
    explicit OptionsTable(QWidget* parent = nullptr);

    void showConfig(const RunConfig& config);
    void clear();

private:
    void refresh();

    QCheckBox* m_onlyChanged;
    QTableWidget* m_table;
};

} // namespace tunebench
