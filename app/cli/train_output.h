#pragma once

#include "app/cli/console.h"
#include "core/train/trainer.h"

namespace tunebench {

/// What `train` shows: with --json each event as one line; on a terminal a log with a progress line below it; otherwise
/// plain lines. How memory ran out goes to standard error, or is one line more.
class TrainOutput {
public:
    TrainOutput(Console& console, bool terminal);
    void show(const TrainerEvent& event);
    /// Lets what follows, an error as well, begin on a line of its own.
    void endProgress();
    /// The last line: where the run is.
    void finish(const std::filesystem::path& run);

private:
    void write(const LogLine& line);
    void write(const StateChange& change);
    void write(const OutOfMemoryReport& report);
    void write(const StepMetrics& step);
    void write(const EvalMetrics& evaluation);
    void write(const AnswerMetrics& answer);
    void writeLine(const std::string& text);
    void writeProgress(const std::string& text);

    Console& m_console;
    bool m_terminal;
    bool m_progressShown = false;
    int64_t m_totalSteps = 0;
    double m_secondsPerStep = 0; // moving average
};

} // namespace tunebench
