#pragma once

#include "core/runs/metrics.h"
#include "core/runs/smoothing.h"
#include "ui/plots/plot.h"

#include <span>

namespace tunebench {

/// The training loss, raw and smoothed with its noise as a band, the evaluations as points on the same axes, and how
/// far they lie above the training loss.
class LossPlot : public Plot {
    Q_OBJECT
public:
    explicit LossPlot(QWidget* parent);

    void clear();
    void add(std::span<const StepMetrics> steps);
    void add(const EvalMetrics& evaluation);

protected:
    void restyle() override;

private:
    void showGap(bool shown);

    QCPGraph *m_low, *m_high, *m_raw, *m_smoothed, *m_evaluations, *m_gap;
    Smoother m_smoother;
};

} // namespace tunebench
