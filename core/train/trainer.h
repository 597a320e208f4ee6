#pragma once

#include "core/base/result.h"
#include "core/config/options.h"
#include "core/runs/metrics.h"
#include "core/runs/run_folder.h"

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tunebench {

/// A line for the log: what the trainer is doing or has noticed.
struct LogLine {
    std::string text;
    bool warning = false;
};

/// The run's state changed; at the end `summary` is final.
struct StateChange {
    RunSummary summary;
    std::filesystem::path run; ///< empty until the run folder exists
};

/// What a run says while it goes on; whole values, in order.
using TrainerEvent = std::variant<LogLine, StateChange, StepMetrics, EvalMetrics, AnswerMetrics>;

/// What to train and where to keep it.
struct TrainingJob {
    ConfigChoice config;
    std::filesystem::path runs; ///< folder of all runs
    std::string name; ///< empty: made from date and model
    /// Goes on with the run `name` (or the path of one) with its own options; those that `config` sets replace them.
    bool resumes = false;
};

/// One training run on a thread of its own. The run folder is written by that thread whether or not anybody listens;
/// events wait in a queue until drained. The destructor stops the run and waits for it.
class Trainer {
public:
    explicit Trainer(TrainingJob job); ///< starts at once
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;
    ~Trainer();

    void pause(); ///< takes effect at the next micro-batch
    void resume();
    void stop(); ///< takes effect at the next micro-batch; what was learnt is saved

    /// All events since the last call; the lock covers a swap only.
    std::vector<TrainerEvent> drain();
    bool finished() const; ///< the thread is done; its last events may still wait to be drained
    void wait();

    /// After finished(): the run folder, or why the run failed.
    Result<std::filesystem::path> outcome() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tunebench
