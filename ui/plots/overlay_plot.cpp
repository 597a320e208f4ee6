#include "ui/plots/overlay_plot.h"

#include "core/runs/smoothing.h"
#include "ui/base/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tunebench {

namespace {

constexpr double notKnown = std::numeric_limits<double>::quiet_NaN();

double valueOf(const StepMetrics& step, OverlayValue value)
{
    constexpr double bytesPerGib = 1024.0 * 1024.0 * 1024.0;
    switch (value) {
    case OverlayValue::loss:
        return step.loss.value_or(notKnown);
    case OverlayValue::learningRate:
        return step.learningRate;
    case OverlayValue::gradNorm:
        return step.gradNorm.value_or(notKnown);
    case OverlayValue::speed:
        return step.tokensPerSecond;
    case OverlayValue::peakMemory:
        return static_cast<double>(step.peakAllocated) / bytesPerGib;
    case OverlayValue::evalLoss:
        break;
    }
    return notKnown;
}

/// The key of every step of a run, after that step.
QVector<double> keysOf(const std::vector<StepMetrics>& steps, OverlayKey key)
{
    QVector<double> keys;
    keys.reserve(static_cast<int>(steps.size()));
    double sum = 0;
    for (const StepMetrics& step : steps) {
        switch (key) {
        case OverlayKey::step:
            keys.push_back(static_cast<double>(step.step));
            break;
        case OverlayKey::tokens:
            keys.push_back(sum += static_cast<double>(step.tokens));
            break;
        case OverlayKey::seconds:
            keys.push_back(sum += step.seconds);
            break;
        case OverlayKey::epoch:
            keys.push_back(step.epoch);
            break;
        }
    }
    return keys;
}

/// Where an evaluation lies: at the key of its step, 0 before the first.
double keyOfEvaluation(
    const EvalMetrics& evaluation, const std::vector<StepMetrics>& steps, const QVector<double>& keys)
{
    const auto after = std::upper_bound(steps.begin(), steps.end(), evaluation.step,
        [](int64_t wanted, const StepMetrics& step) { return wanted < step.step; });
    return after == steps.begin() ? 0 : keys.at(static_cast<int>(after - steps.begin()) - 1);
}

} // namespace

OverlayPlot::OverlayPlot(QWidget* parent)
    : Plot({}, tr("step"), {}, parent)
{
    applyPalette();
}

void OverlayPlot::showRuns(const std::vector<OverlaidRun>& runs, OverlayValue value, OverlayKey key)
{
    clearGraphs();
    m_curves.clear();
    setXLabel(overlayKeyName(key));
    useWholeKeys(key == OverlayKey::step || key == OverlayKey::tokens);
    setTitle(overlayValueName(value));
    for (const OverlaidRun& run : runs) {
        addRun(run, value, key);
    }
    applyPalette();
    followAll();
}

void OverlayPlot::addRun(const OverlaidRun& run, OverlayValue value, OverlayKey key)
{
    const auto& steps = run.curves->steps;
    const QVector<double> keys = keysOf(steps, key);
    if (value != OverlayValue::evalLoss) {
        const bool smooth = value == OverlayValue::loss;
        QCPGraph* curve = addCurveOf(run, smooth ? Role::faint : Role::main).graph;
        QCPGraph* mean = smooth ? addCurveOf(run, Role::main).graph : nullptr;
        Smoother smoother;
        for (size_t index = 0; index < steps.size(); ++index) {
            const double number = valueOf(steps[index], value);
            const double place = keys.at(static_cast<int>(index));
            curve->addData(place, number);
            if (smooth && !std::isnan(number)) {
                mean->addData(place, smoother.add(number).value);
            }
        }
    }
    if (value == OverlayValue::evalLoss || value == OverlayValue::loss) {
        QCPGraph* points = addCurveOf(run, Role::points).graph;
        setListed(points, value == OverlayValue::evalLoss);
        for (const EvalMetrics& evaluation : run.curves->evaluations) {
            if (evaluation.loss) {
                points->addData(keyOfEvaluation(evaluation, steps, keys), *evaluation.loss);
            }
        }
    }
}

OverlayPlot::Curve& OverlayPlot::addCurveOf(const OverlaidRun& run, Role role)
{
    m_curves.push_back({ addCurve(run.name), run.colour, role });
    setListed(m_curves.back().graph, role == Role::main);
    return m_curves.back();
}

void OverlayPlot::restyle()
{
    const QColor base = palette().color(QPalette::Base);
    for (const auto& [graph, colourIndex, role] : m_curves) {
        const QColor colour = seriesColour(palette(), colourIndex);
        graph->setPen(
            role == Role::faint ? curvePen(mixed(base, colour, 0.3)) : curvePen(colour, role == Role::main ? 2 : 1));
        if (role == Role::points) {
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, colour, base, 8));
        }
    }
}

QString overlayValueName(OverlayValue value)
{
    switch (value) {
    case OverlayValue::loss:
        return OverlayPlot::tr("Loss");
    case OverlayValue::evalLoss:
        return OverlayPlot::tr("Evaluation loss");
    case OverlayValue::learningRate:
        return OverlayPlot::tr("Learning rate");
    case OverlayValue::gradNorm:
        return OverlayPlot::tr("Gradient norm");
    case OverlayValue::speed:
        return OverlayPlot::tr("Tokens per second");
    case OverlayValue::peakMemory:
        break;
    }
    return OverlayPlot::tr("Peak memory, GiB");
}

QString overlayKeyName(OverlayKey key)
{
    switch (key) {
    case OverlayKey::step:
        return OverlayPlot::tr("step");
    case OverlayKey::tokens:
        return OverlayPlot::tr("tokens trained");
    case OverlayKey::seconds:
        return OverlayPlot::tr("seconds");
    case OverlayKey::epoch:
        break;
    }
    return OverlayPlot::tr("epochs");
}

} // namespace tunebench
