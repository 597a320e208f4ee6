#include "ui/plan/step_plot.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tunebench {

namespace {

constexpr double bytesPerMib = 1024.0 * 1024.0;

/// The pass as it is shaded: what is recomputed belongs to the backward pass that needs it.
QString shadeName(const MemoryPlace& place)
{
    if (place.pass == "reference") {
        return StepPlot::tr("reference");
    }
    if (place.pass == "recompute" || place.pass == "backward") {
        return StepPlot::tr("backward");
    }
    if (place.pass == "update") {
        return StepPlot::tr("update");
    }
    return StepPlot::tr("forward");
}

int colourNumber(const QString& shade)
{
    const QStringList shades { StepPlot::tr("forward"), StepPlot::tr("reference"), StepPlot::tr("backward"),
        StepPlot::tr("update") };
    constexpr int firstFree = 2; // the curves have those before
    return firstFree + static_cast<int>(shades.indexOf(shade));
}

QString described(const CurvePoint& point)
{
    const MemoryPlace& place = point.place;
    return StepPlot::tr("%1, %2: %3, then %4")
        .arg(placeName(place), toQString(place.pass), formatBytes(point.peak), formatBytes(point.after));
}

} // namespace

QString placeName(const MemoryPlace& place)
{
    return place.layer < 0 ? toQString(place.operation)
                           : StepPlot::tr("%1 of layer %2").arg(toQString(place.operation)).arg(place.layer);
}

StepPlot::StepPlot(QWidget* parent)
    : Plot(tr("Within one step"), tr("operation of the step"), tr("MiB"), parent)
    , m_own { addCurve(tr("yours")) }
    , m_other { addCurve(tr("other")) }
{
    setMouseTracking(true);
    setToolTip({}); // hovering tells of operations
    for (const Curve* curve : { &m_own, &m_other }) {
        curve->graph->setLineStyle(QCPGraph::lsStepCenter);
        curve->graph->setAdaptiveSampling(false); // it draws steps askew
    }
    axisRect()->setRangeDrag(Qt::Horizontal);
    axisRect()->setRangeZoom(Qt::Horizontal);
    applyPalette();
}

void StepPlot::setOwn(std::vector<CurvePoint> curve, const QString& name)
{
    set(m_own, std::move(curve), name);
    shade();
    applyPalette();
    followAll();
}

void StepPlot::setOther(std::vector<CurvePoint> curve, const QString& name)
{
    set(m_other, std::move(curve), name);
    applyPalette();
    followAll();
}

void StepPlot::set(Curve& curve, std::vector<CurvePoint> points, const QString& name)
{
    curve.points = std::move(points);
    QVector<double> keys;
    QVector<double> values;
    for (const CurvePoint& point : curve.points) {
        keys.push_back(static_cast<double>(keys.size()));
        values.push_back(static_cast<double>(point.peak) / bytesPerMib);
    }
    curve.graph->setData(keys, values, true);
    curve.graph->setName(name);
    setListed(curve.graph, !curve.points.empty());
}

void StepPlot::shade()
{
    for (const Shade& old : m_shades) {
        removeItem(old.area);
        removeItem(old.name);
    }
    m_shades.clear();
    const auto& points = m_own.points;
    for (auto begin = points.begin(); begin != points.end();) {
        const QString name = shadeName(begin->place);
        const auto end
            = std::find_if(begin, points.end(), [&](const CurvePoint& one) { return shadeName(one.place) != name; });
        const Shade shade { new QCPItemRect(this), new QCPItemText(this) };
        for (QCPItemPosition* corner : { shade.area->topLeft, shade.area->bottomRight, shade.name->position }) {
            corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
        }
        const auto from = static_cast<double>(begin - points.begin()) - 0.5;
        const auto to = static_cast<double>(end - points.begin()) - 0.5;
        shade.area->topLeft->setCoords(from, 0);
        shade.area->bottomRight->setCoords(to, 1);
        shade.name->position->setCoords((from + to) / 2, 0.01);
        shade.name->setPositionAlignment(Qt::AlignHCenter | Qt::AlignTop);
        shade.name->setText(name);
        shade.area->setLayer(QStringLiteral("background")); // the curves lie over it
        constexpr double leastShare = 0.08; // of the step; a shorter pass has no room for its name
        shade.name->setVisible(to - from >= leastShare * static_cast<double>(points.size()));
        m_shades.push_back(shade);
        begin = end;
    }
}

QString StepPlot::textAt(double key) const
{
    const auto index = static_cast<size_t>(std::max(0.0, std::round(key)));
    QStringList lines;
    for (const Curve* curve : { &m_own, &m_other }) {
        if (key >= -0.5 && index < curve->points.size()) {
            lines.push_back(tr("%1: %2").arg(curve->graph->name(), described(curve->points[index])));
        }
    }
    return lines.join('\n');
}

void StepPlot::mouseMoveEvent(QMouseEvent* event)
{
    Plot::mouseMoveEvent(event);
    const bool inside = axisRect()->rect().contains(event->pos());
    const QString text = inside ? textAt(xAxis->pixelToCoord(event->position().x())) : QString();
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

void StepPlot::restyle()
{
    constexpr double shadeStrength = 0.1;
    const QColor base = palette().color(QPalette::Base);
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.85);
    for (const Shade& shade : m_shades) {
        shade.area->setPen(Qt::NoPen);
        shade.area->setBrush(mixed(base, seriesColour(palette(), colourNumber(shade.name->text())), shadeStrength));
        shade.name->setColor(mutedColour(palette()));
        shade.name->setFont(small);
    }
    m_own.graph->setPen(curvePen(seriesColour(palette(), 0), 2));
    QPen other = curvePen(seriesColour(palette(), 1), 1.5);
    other.setStyle(Qt::DashLine);
    m_other.graph->setPen(other);
}

void StepPlot::fit()
{
    Plot::fit();
    constexpr double air = 1.15; // room for the names of the passes
    const auto values = valueRange(yAxis);
    yAxis->setRange(0, values ? values->upper * air : 1);
}

} // namespace tunebench
