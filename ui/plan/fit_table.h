#pragma once

#include "ui/plan/choice_table.h"
#include "ui/plan/variation.h"

namespace tunebench {

class PlanQueue;

/// What fits: batch size by max_length, each cell with its planned memory, the time of a step where it is known, and
/// whether it fits. Cells fill as plans come; a click, or Return, takes one.
class FitTable : public ChoiceTable {
    Q_OBJECT
public:
    FitTable(PlanQueue& queue, QWidget* parent);

    /// Plans every cell with the form's options but for `shown` (batch and length in it do not count).
    void plan(const PlanBasis& basis, const Variation& shown);
    void clearPlans();

    /// Why cells have no plan; empty where they have.
    QString problem() const { return m_problem; }

    /// As wide as its cells can be read.
    QSize minimumSizeHint() const override;

signals:
    void taken(const Variation& cell);
    void problemChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    Variation cellAt(int row, int column) const;
    bool isOwn(const Variation& cell) const;
    void ask(int row, int column);
    void showPlan(int row, int column, const Result<MemoryPlan>& plan);
    void colour(QTableWidgetItem& item) const;

    PlanQueue& m_queue;
    PlanBasis m_basis;
    Variation m_shown;
    std::vector<int64_t> m_batches, m_lengths;
    QString m_problem;
};

} // namespace tunebench
