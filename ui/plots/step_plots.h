#pragma once

#include "core/runs/metrics.h"
#include "ui/plots/plot.h"

#include <span>

namespace tunebench {

/// Learning rate on the left axis, gradient norm on the right one.
class RatePlot : public Plot {
    Q_OBJECT
public:
    explicit RatePlot(QWidget* parent);

    void clear();
    void add(std::span<const StepMetrics> steps);

protected:
    void restyle() override;

private:
    QCPGraph *m_gradNorm, *m_learningRate;
};

/// Tokens per second of each step.
class SpeedPlot : public Plot {
    Q_OBJECT
public:
    explicit SpeedPlot(QWidget* parent);

    void clear();
    void add(std::span<const StepMetrics> steps);

protected:
    void restyle() override;
    void fit() override;

private:
    QCPGraph* m_speed;
};

} // namespace tunebench
