#pragma once

#include "ui/plan/choice_table.h"
#include "ui/plan/variation.h"

namespace tunebench {

class PlanQueue;

/// The longest max_length that fits, for each batch size, without and with recomputing; a multiple of 8. A click, or
/// Return, takes one.
class LongestTable : public ChoiceTable {
    Q_OBJECT
public:
    LongestTable(PlanQueue& queue, QWidget* parent);

    void plan(const PlanBasis& basis, const std::optional<NumberType>& numbers);
    void clearPlans();

signals:
    void taken(const Variation& found);

private:
    /// Between the longest length known not to be too big, and the shortest that is; 0: none is known.
    struct Search {
        Variation variation; ///< of the cell
        int64_t fits = 0, tooBig = 0;
        bool leavesRows = false; ///< `fits` does; a shorter length may leave nothing to train on
        bool done = false;
    };
    Search& searchAt(int row, int column);
    void look(int row, int column, int64_t length);
    void take(int row, int column, int64_t length, const Result<MemoryPlan>& plan);
    int64_t next(const Search& search) const;
    void showFound(int row, int column);
    void choose(int row, int column);

    PlanQueue& m_queue;
    PlanBasis m_basis;
    std::vector<int64_t> m_batches, m_lengths;
    std::vector<Search> m_searches; ///< row by row
};

} // namespace tunebench
