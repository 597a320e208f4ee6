#pragma once

#include "ui/base/run_planner.h"
#include "ui/base/work_queue.h"
#include "ui/data/data_analysis.h"

#include <QObject>

#include <map>
#include <string>

namespace tunebench {

/// Plans many variants of a run over the same rows, several at once in the background, and remembers what it has
/// planned: who asks again is answered at once. Lives on the GUI thread.
class PlanQueue : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(const Result<MemoryPlan>& plan)>; ///< on the GUI thread

    PlanQueue(RunPlanner planner, QObject* parent);

    /// Forgets every plan over other rows.
    void setData(const SharedData& data);

    /// Forgets every plan: what plans come from is not what it was.
    void forget();

    /// What was asked for and is not planned yet is dropped; nobody hears of it.
    void cancel();

    /// Plans in the order of the questions, as on the card that the choice names. Data must be set.
    void ask(const ConfigChoice& choice, PlanDetail detail, Done done);
    /// The same as on the device that the run itself would use.
    void askAsItRuns(const ConfigChoice& choice, PlanDetail detail, Done done);

    bool idle() const { return m_waiting.empty(); }

signals:
    void becameIdle(); ///< the last question is answered

private:
    using SharedPlan = std::shared_ptr<const Result<MemoryPlan>>;
    void take(const std::string& key, const SharedData& data, const SharedPlan& plan);

    RunPlanner m_planner;
    SharedData m_data;
    std::map<std::string, SharedPlan> m_known;
    std::map<std::string, std::vector<Done>> m_waiting;
    WorkQueue m_work;
};

} // namespace tunebench
