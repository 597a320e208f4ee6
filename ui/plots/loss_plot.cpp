#include "ui/plots/loss_plot.h"

#include "ui/base/theme.h"

#include <limits>

namespace tunebench {

LossPlot::LossPlot(QWidget* parent)
    : Plot(tr("Loss"), tr("step"), {}, parent)
    , m_low(addCurve({}))
    , m_high(addCurve(tr("noise")))
    , m_raw(addCurve(tr("raw")))
    , m_smoothed(addCurve(tr("smoothed")))
    , m_evaluations(addCurve(tr("evaluation")))
    , m_gap(addCurve(tr("gap (right)"), yAxis2))
{
    yAxis2->grid()->setVisible(false);
    setListed(m_low, false);
    m_high->setChannelFillGraph(m_low);
    showGap(false);
    applyPalette();
}

void LossPlot::clear()
{
    m_smoother = Smoother();
    for (QCPGraph* curve : { m_low, m_high, m_raw, m_smoothed, m_evaluations, m_gap }) {
        curve->data()->clear();
    }
    showGap(false);
    refresh();
}

void LossPlot::add(std::span<const StepMetrics> steps)
{
    for (const StepMetrics& step : steps) {
        const auto key = static_cast<double>(step.step);
        // A step without a loss is a gap in the raw curve and left out of the smoothed one.
        m_raw->addData(key, step.loss.value_or(std::numeric_limits<double>::quiet_NaN()));
        if (step.loss) {
            const SmoothedPoint point = m_smoother.add(*step.loss);
            m_smoothed->addData(key, point.value);
            m_low->addData(key, point.value - point.noise);
            m_high->addData(key, point.value + point.noise);
        }
    }
    refresh();
}

void LossPlot::add(const EvalMetrics& evaluation)
{
    if (evaluation.loss) {
        m_evaluations->addData(static_cast<double>(evaluation.step), *evaluation.loss);
        if (evaluation.gap) {
            m_gap->addData(static_cast<double>(evaluation.step), *evaluation.gap);
            showGap(true);
        }
        refresh();
    }
}

/// The curve of evaluation minus training loss has an axis of its own, which stands empty without it.
void LossPlot::showGap(bool shown)
{
    yAxis2->setVisible(shown);
    yAxis2->setTickLabels(shown);
    setListed(m_gap, shown);
}

void LossPlot::restyle()
{
    const QColor base = palette().color(QPalette::Base);
    const QColor loss = seriesColour(palette(), 0);
    const QColor evaluation = seriesColour(palette(), 1);
    m_raw->setPen(curvePen(mixed(base, loss, 0.45)));
    m_smoothed->setPen(curvePen(loss, 2));
    m_low->setPen(Qt::NoPen);
    m_high->setPen(Qt::NoPen);
    m_high->setBrush(mixed(base, loss, 0.16));
    m_gap->setPen(curvePen(seriesColour(palette(), 2), 1));
    m_gap->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCross, seriesColour(palette(), 2), 6));
    m_evaluations->setPen(curvePen(evaluation, 1));
    m_evaluations->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, evaluation, evaluation, 8));
}

} // namespace tunebench
