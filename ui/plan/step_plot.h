#pragma once

#include "core/memory/step_curve.h"
#include "ui/plots/plot.h"

#include <vector>

namespace tunebench {

/// "attention of layer 3".
QString placeName(const MemoryPlace& place);

/// Planned memory over the operations of one step, its passes shaded, and another plan's curve over it. Hovering tells
/// what each operation is and holds.
class StepPlot : public Plot {
    Q_OBJECT
public:
    explicit StepPlot(QWidget* parent);

    /// One curve and what it is; an empty one is not drawn.
    void setOwn(std::vector<CurvePoint> curve, const QString& name);
    void setOther(std::vector<CurvePoint> curve, const QString& name);

    /// What hovering over a key says; empty outside the curves.
    QString textAt(double key) const;

    QSize sizeHint() const override { return { 480, 300 }; }

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void restyle() override;
    void fit() override;

private:
    struct Shade {
        QCPItemRect* area;
        QCPItemText* name;
    };
    struct Curve {
        QCPGraph* graph;
        std::vector<CurvePoint> points {};
    };
    void set(Curve& curve, std::vector<CurvePoint> points, const QString& name);
    void shade();

    Curve m_own, m_other;
    std::vector<Shade> m_shades;
};

} // namespace tunebench
