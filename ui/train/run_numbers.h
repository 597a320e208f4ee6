#pragma once

#include "core/runs/metrics.h"
#include "core/runs/run_folder.h"

#include <QWidget>

#include <span>

class QLabel;
class QProgressBar;

namespace tunebench {

class NumberTile;

/// The figures of the run at a glance: step, time left, tokens/s, losses, peak memory against the limit.
class RunNumbers : public QWidget {
    Q_OBJECT
public:
    explicit RunNumbers(QWidget* parent = nullptr);

    void clear();
    void setSummary(const RunSummary& summary);
    void add(std::span<const StepMetrics> steps);
    void add(const EvalMetrics& evaluation);
    void setMemoryLimit(const RunConfig& config);

    /// No more time is left: the run has ended.
    void end();

private:
    void showProgress();
    void showMemory();

    NumberTile *m_stepTile, *m_timeTile, *m_speedTile, *m_lossTile, *m_evalTile, *m_memoryTile;
    QProgressBar* m_bar;
    int64_t m_step = 0, m_totalSteps = 0;
    int64_t m_peak = 0, m_limit = 0;
    double m_secondsPerStep = 0; ///< smoothed
};

} // namespace tunebench
