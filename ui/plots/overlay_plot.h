#pragma once

#include "core/runs/run_library.h"
#include "ui/plots/plot.h"

#include <memory>
#include <string>
#include <vector>

namespace tunebench {

/// A run whose curves are laid over others'.
struct OverlaidRun {
    QString name;
    int colour = 0; ///< index of its series colour; a run keeps it as long as it is ticked
    std::shared_ptr<const RunCurves> curves;
};

enum class OverlayValue { loss, evalLoss, learningRate, gradNorm, speed, peakMemory };
enum class OverlayKey { step, tokens, seconds, epoch };

/// One value of several runs over steps, trained tokens, time or epochs.
class OverlayPlot : public Plot {
    Q_OBJECT
public:
    explicit OverlayPlot(QWidget* parent);

    void showRuns(const std::vector<OverlaidRun>& runs, OverlayValue value, OverlayKey key);

protected:
    void restyle() override;

private:
    void addRun(const OverlaidRun& run, OverlayValue value, OverlayKey key);

    enum class Role { main, faint, points };
    struct Curve {
        QCPGraph* graph;
        int colour;
        Role role;
    };
    Curve& addCurveOf(const OverlaidRun& run, Role role);

    std::vector<Curve> m_curves;
};

QString overlayValueName(OverlayValue value);
QString overlayKeyName(OverlayKey key);

} // namespace tunebench
