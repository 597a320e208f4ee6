#pragma once

#include "core/runs/metrics.h"
#include "ui/plots/plot.h"

#include <array>
#include <span>

namespace tunebench {

/// Memory over the steps: allocated, peak, reserved, the device's and the process's own, with the limit or card as a
/// line. Curves without a value are not listed.
class MemoryPlot : public Plot {
    Q_OBJECT
public:
    explicit MemoryPlot(QWidget* parent);

    void clear();
    void add(std::span<const StepMetrics> steps);

    /// What the run may use at most, and what that is (a limit, a card); 0 bytes: no line.
    void setLimit(int64_t bytes, const QString& name);

protected:
    void restyle() override;
    void fit() override;

private:
    std::array<QCPGraph*, 5> m_curves; ///< allocated, peak, reserved, device, process
    QCPItemStraightLine* m_line;
    QCPItemText* m_lineName;
    int64_t m_limit = 0;
};

} // namespace tunebench
