#include "ui/plots/plot.h"

#include "ui/base/theme.h"

#include <QEvent>

#include <algorithm>
#include <cmath>

namespace tunebench {

namespace {

/// Ticks at whole numbers.
class WholeTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override
    {
        constexpr double halfway = 2.5;
        const double step = std::max(1.0, QCPAxisTicker::getTickStep(range));
        return step == halfway ? 2 : step;
    }
};

template <class RangeOf> std::optional<QCPRange> unionOf(const QCPAxis* axis, RangeOf rangeOf)
{
    std::optional<QCPRange> all;
    for (const QCPAbstractPlottable* curve : axis->plottables()) {
        bool found = false;
        const QCPRange range = rangeOf(curve, found);
        if (found && curve->visible()) {
            all = all ? all->expanded(range) : range;
        }
    }
    return all;
}

} // namespace

Plot::Plot(const QString& title, const QString& xLabel, const QString& yLabel, QWidget* parent)
    : QCustomPlot(parent)
    , m_title(new QCPTextElement(this, title))
{
    setPlottingHint(QCP::phFastPolylines);
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    setAccessibleName(title);

    auto* head = new QCPLayoutGrid;
    plotLayout()->insertRow(0);
    plotLayout()->addElement(0, 0, head);
    plotLayout()->setRowSpacing(2);
    m_title->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    m_title->setMargins({ 4, 2, 8, 0 });
    head->addElement(0, 0, m_title);
    head->addElement(0, 1, legend);
    legend->setFillOrder(QCPLegend::foColumnsFirst);
    legend->setWrap(8);
    legend->setBorderPen(Qt::NoPen);
    legend->setBrush(Qt::NoBrush);
    legend->setMargins({ 0, 3, 4, 0 });
    legend->setIconSize(14, 10);
    legend->setColumnSpacing(8);
    legend->setVisible(true);
    head->setColumnStretchFactor(0, 1);
    head->setColumnStretchFactor(1, 0.001);
    axisRect()->setMinimumMargins({ 0, 8, 10, 0 });

    useWholeKeys(true);
    xAxis->setLabel(xLabel);
    yAxis->setLabel(yLabel);
    connect(this, &QCustomPlot::mouseWheel, this, [this] { m_following = false; });
    connect(this, &QCustomPlot::mouseMove, this,
        [this](QMouseEvent* event) { m_following = m_following && (event->buttons() & Qt::LeftButton) == 0; });
    connect(this, &QCustomPlot::mouseDoubleClick, this, &Plot::followAll);
    setToolTip(tr("Wheel: zoom. Drag: move. Double click: show all."));
}

void Plot::setTitle(const QString& title)
{
    m_title->setText(title);
    setAccessibleName(title);
}

void Plot::setXLabel(const QString& label)
{
    xAxis->setLabel(label);
}

void Plot::refresh()
{
    markSinglePoints();
    if (m_following) {
        fit();
    }
    draw();
}

void Plot::followAll()
{
    m_following = true;
    refresh();
}

void Plot::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        applyPalette();
    }
}

void Plot::showEvent(QShowEvent* event)
{
    QCustomPlot::showEvent(event);
    draw();
}

void Plot::useWholeKeys(bool whole)
{
    xAxis->setTicker(whole ? QSharedPointer<QCPAxisTicker>(new WholeTicker) : QSharedPointer<QCPAxisTicker>::create());
}

void Plot::markSinglePoints()
{
    for (int index = 0; index < graphCount(); ++index) {
        // A line through one point would be nothing; curves that have points of their own keep them.
        const auto shape = graph(index)->scatterStyle().shape();
        if (shape == QCPScatterStyle::ssNone || shape == QCPScatterStyle::ssDisc) {
            constexpr double size = 5;
            graph(index)->setScatterStyle(graph(index)->data()->size() == 1
                    ? QCPScatterStyle(QCPScatterStyle::ssDisc, size)
                    : QCPScatterStyle(QCPScatterStyle::ssNone));
        }
    }
}

void Plot::draw()
{
    // What nobody sees is drawn when it is shown.
    if (isVisible()) {
        replot(QCustomPlot::rpQueuedReplot);
    }
}

void Plot::fit()
{
    if (const auto keys = keyRange(xAxis)) {
        // A little air, so that points at the ends are whole.
        const double air = keys->size() > 0 ? keys->size() * 0.012 : 0.5;
        xAxis->setRange(keys->lower - air, keys->upper + air);
    }
    for (QCPAxis* axis : { yAxis, yAxis2 }) {
        if (const auto values = valueRange(axis)) {
            axis->setRange(padded(*values));
        }
    }
}

void Plot::applyPalette()
{
    setBackground(palette().color(QPalette::Base));
    m_title->setTextColor(palette().color(QPalette::Text));
    QFont titleFont = font();
    titleFont.setBold(true);
    titleFont.setPointSizeF(font().pointSizeF() * 0.95);
    m_title->setFont(titleFont);
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.85);
    legend->setFont(small);
    legend->setTextColor(palette().color(QPalette::Text));
    for (int index = 0; index < legend->itemCount(); ++index) {
        legend->item(index)->setFont(small);
        legend->item(index)->setTextColor(palette().color(QPalette::Text));
    }
    for (QCPAxis* axis : { xAxis, yAxis, xAxis2, yAxis2 }) {
        styleAxis(axis);
    }
    restyle();
    draw();
}

QCPGraph* Plot::addCurve(const QString& name, QCPAxis* valueAxis)
{
    QCPGraph* curve = addGraph(xAxis, valueAxis == nullptr ? yAxis : valueAxis);
    curve->setName(name);
    return curve;
}

void Plot::setListed(QCPAbstractPlottable* curve, bool listed)
{
    if (listed) {
        if (curve->addToLegend()) {
            applyPalette();
        }
    } else {
        curve->removeFromLegend();
    }
}

void Plot::styleAxis(QCPAxis* axis)
{
    const QColor base = palette().color(QPalette::Base);
    const QColor text = palette().color(QPalette::Text);
    const QColor muted = mixed(base, text, 0.7);
    const QPen line(mixed(base, text, 0.35));
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.85);
    axis->setBasePen(line);
    axis->setTickPen(line);
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(muted);
    axis->setLabelColor(muted);
    axis->setTickLabelFont(small);
    axis->setLabelFont(small);
    axis->setLabelPadding(2);
    axis->ticker()->setTickCount(5);
    axis->grid()->setPen(QPen(mixed(base, text, 0.1)));
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->setNumberPrecision(5);
    axis->setNumberFormat(QStringLiteral("g"));
}

QPen curvePen(const QColor& colour, double width)
{
    QPen pen(colour);
    pen.setWidthF(width);
    return pen;
}

QCPRange padded(const QCPRange& range)
{
    if (range.size() <= 0) {
        const double air = range.lower == 0 ? 1 : std::abs(range.lower) * 0.1;
        return { range.lower - air, range.upper + air };
    }
    constexpr double share = 0.06;
    return { range.lower - range.size() * share, range.upper + range.size() * share };
}

std::optional<QCPRange> valueRange(const QCPAxis* axis)
{
    return unionOf(axis, [axis](const QCPAbstractPlottable* curve, bool& found) {
        return curve->valueAxis() == axis ? curve->getValueRange(found) : QCPRange();
    });
}

std::optional<QCPRange> keyRange(const QCPAxis* axis)
{
    return unionOf(axis, [axis](const QCPAbstractPlottable* curve, bool& found) {
        return curve->keyAxis() == axis ? curve->getKeyRange(found) : QCPRange();
    });
}

} // namespace tunebench
