#include "ui/plan/plan_queue.h"

#include "core/config/cards.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace tunebench {

namespace {

/// Equal texts mean equal plans, over the same rows.
std::string keyOf(const ConfigChoice& choice, PlanDetail detail)
{
    std::string key
        = configToJson(choice.values).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    for (const std::string& name : choice.set) {
        key += '\n' + name;
    }
    return key + '\n' + std::to_string(static_cast<int>(detail));
}

} // namespace

PlanQueue::PlanQueue(RunPlanner planner, QObject* parent)
    : QObject(parent)
    , m_planner(std::move(planner))
    , m_work(this)
{
}

void PlanQueue::setData(const SharedData& data)
{
    if (std::exchange(m_data, data) != data) {
        forget();
    }
}

void PlanQueue::forget()
{
    cancel();
    m_known.clear();
}

void PlanQueue::cancel()
{
    m_work.clear();
    m_waiting.clear();
}

void PlanQueue::ask(const ConfigChoice& choice, PlanDetail detail, Done done)
{
    askAsItRuns(asOnItsCard(choice), detail, std::move(done));
}

void PlanQueue::askAsItRuns(const ConfigChoice& choice, PlanDetail detail, Done done)
{
    std::string key = keyOf(choice, detail);
    if (const auto known = m_known.find(key); known != m_known.end()) {
        const SharedPlan plan = known->second; // the answer may ask, or cancel, in its turn
        done(*plan);
        return;
    }
    auto& waiting = m_waiting[key];
    waiting.push_back(std::move(done));
    if (waiting.size() > 1) {
        return;
    }
    m_work.add(
        [choice, detail, data = m_data, planner = m_planner]() -> SharedPlan {
            return std::make_shared<const Result<MemoryPlan>>(runExtents(*data).and_then(
                [&](const RunExtents& extents) { return planner.plan(choice, extents, detail); }));
        },
        [this, key, data = m_data](const SharedPlan& plan) { take(key, data, plan); });
}

void PlanQueue::take(const std::string& key, const SharedData& data, const SharedPlan& plan)
{
    if (data != m_data) {
        return;
    }
    constexpr size_t most = 4096; // some kilobytes each, or less
    if (m_known.size() >= most) {
        m_known.clear();
    }
    m_known[key] = plan;
    if (auto waiting = m_waiting.extract(key)) {
        for (const Done& done : waiting.mapped()) {
            done(*plan);
        }
        if (idle()) {
            emit becameIdle();
        }
    }
}

} // namespace tunebench
