#pragma once

#include "ui/base/device_memory.h"
#include "ui/base/latest_task.h"
#include "ui/base/run_planner.h"
#include "ui/data/data_analysis.h"

#include <QWidget>

class QLabel;

namespace tunebench {

class ConfigModel;
class MemoryStrip;

/// What the run that the form describes will need, before it is started, and what would lower it; it follows the form
/// as options change.
class MemoryPanel : public QWidget {
    Q_OBJECT
public:
    MemoryPanel(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, QWidget* parent);

    QString headline() const;
    QString remedies() const;

    /// Plans the form's options, again where what plans come from is not what it was.
    void plan();

    /// Bytes that the run which goes on holds; the next one finds them free.
    void setHeld(int64_t bytes);
    FreeMemoryWatch& freeMemory() { return m_free; }

signals:
    void planned(); ///< headline and remedies stand for the form's options now

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// What a run has to find room in: the smaller of what the options allow and what is free now.
    struct Room {
        int64_t needed = 0; ///< bytes
        MemoryLimit limit;
        bool isFreeMemory = false;
    };
    struct Outcome {
        Result<MemoryPlan> plan;
        MemoryLimit limit;
        std::vector<Remedy> remedies;
    };
    using SharedOutcome = std::shared_ptr<const Outcome>;
    void take(const SharedOutcome& outcome);
    void showOutcome();
    void watchFreeMemory();
    Room room() const;
    QString roomText(const Room& room) const;
    QString timeText(const MemoryPlan& plan) const;
    QString othersText() const;
    void applyRemedy(const QString& number);

    ConfigModel& m_model;
    DataAnalysis& m_analysis;
    RunPlanner m_planner;
    QLabel* m_headline;
    MemoryStrip* m_strip;
    QLabel* m_remedies;
    FreeMemoryWatch m_free;
    int64_t m_held = 0;
    SharedOutcome m_outcome;
    LatestTask<SharedOutcome> m_task;
};

} // namespace tunebench
