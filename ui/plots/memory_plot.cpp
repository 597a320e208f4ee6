#include "ui/plots/memory_plot.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

namespace tunebench {

namespace {

constexpr double bytesPerGib = 1024.0 * 1024.0 * 1024.0;

double toGib(int64_t bytes)
{
    return static_cast<double>(bytes) / bytesPerGib;
}

} // namespace

MemoryPlot::MemoryPlot(QWidget* parent)
    : Plot(tr("Memory"), tr("step"), tr("GiB"), parent)
    , m_curves { addCurve(tr("allocated")), addCurve(tr("peak")), addCurve(tr("reserved")), addCurve(tr("device")),
        addCurve(tr("process")) }
    , m_line(new QCPItemStraightLine(this))
    , m_lineName(new QCPItemText(this))
{
    m_lineName->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    m_lineName->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    m_lineName->setClipToAxisRect(false);
    clear();
    setLimit(0, {});
    applyPalette();
}

void MemoryPlot::clear()
{
    for (QCPGraph* curve : m_curves) {
        curve->data()->clear();
    }
    for (size_t index = 2; index < m_curves.size(); ++index) {
        setListed(m_curves.at(index), false);
    }
    refresh();
}

void MemoryPlot::add(std::span<const StepMetrics> steps)
{
    for (const StepMetrics& step : steps) {
        const std::array<std::optional<int64_t>, 5> values { step.allocated, step.peakAllocated, step.reserved,
            step.deviceUsed, step.process };
        for (size_t index = 0; index < values.size(); ++index) {
            if (values.at(index)) {
                m_curves.at(index)->addData(static_cast<double>(step.step), toGib(*values.at(index)));
                setListed(m_curves.at(index), true);
            }
        }
    }
    refresh();
}

void MemoryPlot::setLimit(int64_t bytes, const QString& name)
{
    m_limit = bytes;
    m_line->setVisible(bytes > 0);
    m_lineName->setVisible(bytes > 0);
    m_line->point1->setCoords(0, toGib(bytes));
    m_line->point2->setCoords(1, toGib(bytes));
    m_lineName->setText(QStringLiteral("%1 %2").arg(name, formatBytes(bytes)));
    refresh();
}

void MemoryPlot::restyle()
{
    // As far apart as may be: colours where curves often lie close, dashes for what is not the run's own.
    const std::array<int, 5> colours { 0, 1, 2, 3, 7 };
    for (size_t index = 0; index < m_curves.size(); ++index) {
        QPen pen = curvePen(seriesColour(palette(), colours.at(index)), index < 2 ? 2 : 1.5);
        pen.setStyle(index < 3 ? Qt::SolidLine : Qt::DashLine);
        m_curves.at(index)->setPen(pen);
    }
    QPen limit = curvePen(errorColour(palette()), 1);
    limit.setStyle(Qt::DashDotLine);
    m_line->setPen(limit);
    m_lineName->setColor(errorColour(palette()));
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.85);
    m_lineName->setFont(small);
}

void MemoryPlot::fit()
{
    Plot::fit();
    const auto values = valueRange(yAxis);
    double top = values ? values->upper : 1;
    const double limit = toGib(m_limit);
    // A limit far above the curves would flatten them: then only its name stands at the top.
    const bool inView = m_limit > 0 && limit < 3 * top;
    if (inView) {
        top = std::max(top, limit);
    }
    yAxis->setRange(0, top * 1.12);
    m_lineName->position->setTypeY(inView ? QCPItemPosition::ptPlotCoords : QCPItemPosition::ptAxisRectRatio);
    m_lineName->setPositionAlignment(Qt::AlignRight | (inView ? Qt::AlignBottom : Qt::AlignTop));
    m_lineName->position->setCoords(0.99, inView ? limit : 0.01);
}

} // namespace tunebench
