#pragma once

#include "ui/plan/choice_table.h"
#include "ui/plan/variation.h"

#include <string>

namespace tunebench {

class PlanQueue;

/// Why: what each option alone would cost or save from here, memory and time, each from a plan of its own. A click, or
/// Return, takes one.
class WhyTable : public ChoiceTable {
    Q_OBJECT
public:
    WhyTable(PlanQueue& queue, QWidget* parent);

    void plan(const PlanBasis& basis);
    void clearPlans();

    /// What could be changed, as the rows stand.
    std::vector<NamedChoice> changes() const;

signals:
    void taken(const ConfigChoice& choice, const QString& what);
    void changed(); ///< other rows

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Change : NamedChoice {
        int number = 0; ///< among all that were asked
        int64_t bytes = 0; ///< more than now; negative: less
        std::optional<double> time; ///< of a step, more than now as a share of now's
        Fit fit = Fit::unknown;
    };
    void askChanges(const MemoryPlan& now);
    void take(Change change, const MemoryPlan& now, const Result<MemoryPlan>& plan);
    void fill();
    void choose(int row);

    PlanQueue& m_queue;
    PlanBasis m_basis;
    std::vector<Change> m_changes; ///< the largest saving first
};

} // namespace tunebench
