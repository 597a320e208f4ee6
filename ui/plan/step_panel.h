#pragma once

#include "ui/plan/variation.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace tunebench {

class PlanQueue;
class StepPlot;

/// Within one step: the planned memory of the form's options over the operations of a step, and of the same with
/// another kind of gradient checkpointing, or longer segments, with what the difference is.
class StepPanel : public QWidget {
    Q_OBJECT
public:
    StepPanel(PlanQueue& queue, QWidget* parent);

    void plan(const PlanBasis& basis);
    void clearPlans();

    QString sentence() const;

private:
    void askOther();
    void showSentence();
    QString peakElsewhere() const; ///< where the run's peak is when it is in none of its steps; else empty
    Variation other() const; ///< what is chosen to compare with

    PlanQueue& m_queue;
    PlanBasis m_basis;
    QComboBox* m_kinds;
    StepPlot* m_plot;
    QLabel* m_sentence;
    std::optional<MemoryPlan> m_own, m_other;
};

} // namespace tunebench
