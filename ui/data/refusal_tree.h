#pragma once

#include "core/data/refusals.h"

#include <QTreeWidget>

namespace tunebench {

/// Refused rows by reason, with the first rows of each; a row that is activated can be looked at.
class RefusalTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit RefusalTree(QWidget* parent);

    void showRefusals(const std::vector<RefusalGroup>& groups);

signals:
    void rowWanted(qint64 row); ///< its number in the dataset, from 0
};

} // namespace tunebench
