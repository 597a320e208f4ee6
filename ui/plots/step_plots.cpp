#include "ui/plots/step_plots.h"

#include "ui/base/theme.h"

#include <limits>

namespace tunebench {

namespace {

double known(const std::optional<double>& value)
{
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

} // namespace

RatePlot::RatePlot(QWidget* parent)
    : Plot(tr("Optimiser"), tr("step"), {}, parent)
    , m_gradNorm(addCurve(tr("gradient norm (right)"), yAxis2))
    , m_learningRate(addCurve(tr("learning rate")))
{
    yAxis2->setVisible(true);
    yAxis2->setTickLabels(true);
    yAxis2->grid()->setVisible(false);
    applyPalette();
}

void RatePlot::clear()
{
    m_gradNorm->data()->clear();
    m_learningRate->data()->clear();
    refresh();
}

void RatePlot::add(std::span<const StepMetrics> steps)
{
    for (const StepMetrics& step : steps) {
        const auto key = static_cast<double>(step.step);
        m_learningRate->addData(key, step.learningRate);
        m_gradNorm->addData(key, known(step.gradNorm));
    }
    refresh();
}

void RatePlot::restyle()
{
    m_learningRate->setPen(curvePen(seriesColour(palette(), 0), 2));
    m_gradNorm->setPen(curvePen(seriesColour(palette(), 1)));
}

SpeedPlot::SpeedPlot(QWidget* parent)
    : Plot(tr("Tokens per second"), tr("step"), {}, parent)
    , m_speed(addCurve({}))
{
    setListed(m_speed, false);
    applyPalette();
}

void SpeedPlot::clear()
{
    m_speed->data()->clear();
    refresh();
}

void SpeedPlot::add(std::span<const StepMetrics> steps)
{
    for (const StepMetrics& step : steps) {
        m_speed->addData(static_cast<double>(step.step), step.tokensPerSecond);
    }
    refresh();
}

void SpeedPlot::restyle()
{
    m_speed->setPen(curvePen(seriesColour(palette(), 2), 1.5));
}

void SpeedPlot::fit()
{
    Plot::fit();
    yAxis->setRangeLower(0);
}

} // namespace tunebench
