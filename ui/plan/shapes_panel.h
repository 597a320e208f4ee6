#pragma once

#include "ui/base/work_queue.h"
#include "ui/plan/shape_fit.h"
#include "ui/plan/variation.h"

#include <QWidget>

#include <stop_token>

class QLabel;
class QTableWidget;

namespace tunebench {

/// What can my card train? Published models, planned without their files: the longest row, and how many usual rows at
/// once and how fast, for each way to train. Fills while it is seen.
class ShapesPanel : public QWidget {
    Q_OBJECT
public:
    ShapesPanel(ShapePlanner planner, QWidget* parent);
    ~ShapesPanel() override;

    /// `config` is resolved; the limit must be known.
    void plan(const RunConfig& config, const MemoryLimit& limit);
    void clearPlans();

signals:
    void planned(); ///< the last cell is filled

protected:
    void showEvent(QShowEvent* event) override;

private:
    void start();
    void stop();
    void ask(int row, size_t way);
    void showFit(int row, int column, const ShapeFit& fit);
    void setText(int row, int column, const QString& text, const QString& help);

    ShapePlanner m_planner;
    WorkQueue m_work;
    std::stop_source m_stop; ///< of the plans for the options now
    RunConfig m_config;
    MemoryLimit m_limit;
    bool m_isWanted = false; ///< and not begun
    int m_unanswered = 0;
    QLabel* m_sentence;
    QTableWidget* m_table;
};

} // namespace tunebench
