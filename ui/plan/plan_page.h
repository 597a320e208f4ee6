#pragma once

#include "ui/base/latest_task.h"
#include "ui/plan/plan_queue.h"
#include "ui/plan/variation.h"

#include <QWidget>

class QComboBox;
class QSplitter;

namespace tunebench {

class CardChooser;
class ConfigModel;
class FitsPanel;
class MeasurePanel;
class ShapesPanel;
class StepPanel;
class WhyTable;

/// What the form's run and its neighbours will need: which batch and length fit a card, the best that fits, and where
/// within a step the memory goes. All of it planned, nothing trained.
class PlanPage : public QWidget {
    Q_OBJECT
public:
    PlanPage(ConfigModel& model, DataAnalysis& analysis, RunPlanner planner, QWidget* parent);

    QByteArray layoutState() const;
    void restoreLayout(const QByteArray& state);

    /// While a run is going nothing can be measured.
    void setTraining(bool isTraining);
    bool isMeasuring() const;

signals:
    void measuringChanged();
    void deviceMeasured(); ///< plans made before may have had no time
    void planned(); ///< everything on the page stands for the form's options now

protected:
    void showEvent(QShowEvent* event) override;

private:
    QLayout* makeChoosers();
    QWidget* makeWithin();
    void connectPlans();
    void refresh(); ///< when it can be seen
    void findLimit(const SharedData& data);
    void plan(const PlanBasis& basis);
    void addTimes(); ///< where the device may have been measured since the plans were made
    void clearPlans();
    void take(const Variation& variation);
    Variation shown() const;

    ConfigModel& m_model;
    DataAnalysis& m_analysis;
    bool m_canPlan;
    PlanQueue m_queue;
    PlanBasis m_basis;
    Variation m_plannedShown;
    CardChooser* m_cards;
    QComboBox *m_numbers, *m_kinds;
    FitsPanel* m_fits;
    StepPanel* m_step;
    WhyTable* m_why;
    MeasurePanel* m_measure;
    ShapesPanel* m_shapes;
    QSplitter* m_columns;
    LatestTask<PlanBasis> m_limitTask;
};

} // namespace tunebench
