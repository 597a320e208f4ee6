#pragma once

#include "ui/train/training_run.h"

#include <cmath>
#include <utility>

namespace tunebench {

/// What a scripted run has been told, and what it says: the test is the worker.
struct RunScript {
    std::vector<TrainerEvent> events;
    bool finished = false;
    Result<std::filesystem::path> outcome = std::filesystem::path();
    std::vector<std::string> calls;
    int started = 0;
    TrainingJob job;

    void say(RunState state, int64_t step = 0, int64_t totalSteps = 0, const std::filesystem::path& run = {})
    {
        RunSummary summary;
        summary.state = state;
        summary.step = step;
        summary.totalSteps = totalSteps;
        events.emplace_back(StateChange { summary, run });
    }

    void end(RunState state, const std::filesystem::path& run = {})
    {
        say(state, 0, 0, run);
        outcome = run;
        finished = true;
    }

    void fail(const std::string& reason)
    {
        outcome = failure(reason, Fault::work);
        finished = true;
    }

    /// Gives runs that follow this script, each from its beginning.
    StartRun starter();
};

class ScriptedRun : public TrainingRun {
public:
    explicit ScriptedRun(RunScript& script)
        : m_script(script)
    {
    }

    void pause() override { m_script.calls.emplace_back("pause"); }
    void resume() override { m_script.calls.emplace_back("resume"); }
    void stop() override { m_script.calls.emplace_back("stop"); }
    std::vector<TrainerEvent> drain() override { return std::exchange(m_script.events, {}); }
    bool finished() const override { return m_script.finished; }
    Result<std::filesystem::path> outcome() const override { return m_script.outcome; }

private:
    RunScript& m_script;
};

inline StartRun RunScript::starter()
{
    return [this](TrainingJob given) {
        ++started;
        job = std::move(given);
        finished = false;
        events.clear();
        return std::make_unique<ScriptedRun>(*this);
    };
}

/// A step as a real run might give it.
inline StepMetrics someStep(int64_t step)
{
    StepMetrics metrics;
    const auto x = static_cast<double>(step);
    metrics.step = step;
    metrics.epoch = x / 100;
    metrics.loss = 1.2 + std::exp(-x / 30) + 0.1 * std::sin(x * 2.4);
    metrics.gradNorm = 0.4 + 0.2 * std::cos(x);
    metrics.learningRate = 2e-4 * (1 - x / 200);
    metrics.tokens = 1000;
    metrics.supervisedTokens = 700;
    metrics.seconds = 0.5;
    metrics.tokensPerSecond = 2000 + 20 * std::sin(x);
    metrics.allocated = 600 << 20;
    metrics.peakAllocated = 900 << 20;
    return metrics;
}

} // namespace tunebench
