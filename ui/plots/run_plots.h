#pragma once

#include "core/runs/run_library.h"

#include <QWidget>

#include <span>

namespace tunebench {

class LossPlot;
class MemoryPlot;
class RatePlot;
class SpeedPlot;

/// The four plots of one run, live or saved.
class RunPlots : public QWidget {
    Q_OBJECT
public:
    explicit RunPlots(QWidget* parent = nullptr);

    void clear();
    void add(std::span<const StepMetrics> steps);
    void add(const EvalMetrics& evaluation);

    /// Shows a saved run.
    void setCurves(const RunCurves& curves);

    /// The run's memory limit, or else the whole memory of its device.
    void setMemoryLimit(const RunConfig& config);

private:
    LossPlot* m_loss;
    RatePlot* m_rate;
    MemoryPlot* m_memory;
    SpeedPlot* m_speed;
};

} // namespace tunebench
