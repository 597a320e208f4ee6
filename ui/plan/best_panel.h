#pragma once

#include "ui/plan/variation.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace tunebench {

class PlanQueue;

/// Best that fits: of the ways to split the form's effective batch, and to recompute or not, the fastest that finds
/// room, why, and a button that takes it.
class BestPanel : public QWidget {
    Q_OBJECT
public:
    BestPanel(PlanQueue& queue, QWidget* parent);

    void plan(const PlanBasis& basis, const std::optional<NumberType>& numbers);
    void clearPlans();

    QString sentence() const;

signals:
    void taken(const Variation& best);

private:
    struct Candidate {
        Variation variation;
        std::optional<MemoryPlan> plan; ///< none: not planned yet, or it cannot be
        bool answered = false;
    };
    void take(size_t index, const Result<MemoryPlan>& plan);
    void showBest();
    const Candidate* best() const;
    QString reason(const Candidate& best) const;

    PlanQueue& m_queue;
    PlanBasis m_basis;
    std::vector<Candidate> m_candidates; ///< fastest kinds first
    QLabel* m_sentence;
    QPushButton* m_take;
    Variation m_best;
};

} // namespace tunebench
