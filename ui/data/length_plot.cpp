#include "ui/data/length_plot.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <algorithm>
#include <cmath>

namespace tunebench {

namespace {

constexpr int64_t step = 8; // tokens; lengths that are multiples of it are fastest

} // namespace

LengthPlot::LengthPlot(QWidget* parent)
    : Plot(tr("Tokens a row"), tr("tokens"), tr("rows"), parent)
    , m_bars(new QCPBars(xAxis, yAxis))
    , m_marks(*this)
    , m_beyond(new QCPItemRect(this))
    , m_line(new QCPItemStraightLine(this))
    , m_name(new QCPItemText(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setToolTip(
        tr("Drag the line, or press the arrow keys, to change max_length. Wheel: zoom. Double click: show all."));
    axisRect()->setRangeDrag(Qt::Horizontal);
    axisRect()->setRangeZoom(Qt::Horizontal);
    legend->setVisible(false);
    m_bars->setWidthType(QCPBars::wtPlotCoords);
    m_beyond->bottomRight->setTypeX(QCPItemPosition::ptAxisRectRatio);
    m_beyond->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_beyond->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_beyond->bottomRight->setCoords(1, 1);
    m_name->position->setTypeX(QCPItemPosition::ptAbsolute);
    m_name->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_name->setPositionAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_name->setPadding({ 6, 3, 6, 3 });
    m_name->setClipToAxisRect(false);
    connect(this, &QCustomPlot::beforeReplot, this, [this] {
        m_marks.arrange();
        placeLine();
    });
    clear();
    applyPalette();
}

void LengthPlot::setLengths(const LengthSummary& lengths, const LengthHistogram& histogram)
{
    m_lengths = lengths;
    QVector<double> keys;
    QVector<double> counts;
    const auto width = static_cast<double>(histogram.width);
    for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
        if (histogram.counts[bin] > 0) {
            keys.push_back((static_cast<double>(bin) + 0.5) * width);
            counts.push_back(static_cast<double>(histogram.counts[bin]));
        }
    }
    m_bars->setWidth(width);
    m_bars->setData(keys, counts, true);
    m_marks.setLengths(lengths);
    setTitle(histogram.width > 1 ? tr("Rows by length, in steps of %1 tokens").arg(formatCount(histogram.width))
                                 : tr("Rows by length"));
    describe();
    applyPalette();
    followAll();
}

void LengthPlot::clear()
{
    setLengths({}, {});
}

void LengthPlot::setMaxLength(int64_t tokens)
{
    if (!m_moving) {
        m_maxLength = tokens;
        m_moved = false;
        describe();
        refresh();
    }
}

void LengthPlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && isAtLine(event->position())) {
        m_moving = true;
        return;
    }
    Plot::mousePressEvent(event);
}

void LengthPlot::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_moving) {
        setCursor(isAtLine(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
        Plot::mouseMoveEvent(event);
        return;
    }
    const double tokens = xAxis->pixelToCoord(event->position().x());
    move(std::llround(tokens / step) * step);
}

void LengthPlot::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_moving) {
        letGo();
        return;
    }
    Plot::mouseReleaseEvent(event);
}

void LengthPlot::keyPressEvent(QKeyEvent* event)
{
    constexpr int64_t large = 8 * step;
    // From anywhere to the next multiple on that side.
    const auto below = [this](int64_t size) { return (m_maxLength - 1) / size * size; };
    const auto above = [this](int64_t size) { return (m_maxLength / size + 1) * size; };
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down:
        return move(below(step));
    case Qt::Key_Right:
    case Qt::Key_Up:
        return move(above(step));
    case Qt::Key_PageDown:
        return move(below(large));
    case Qt::Key_PageUp:
        return move(above(large));
    case Qt::Key_Home:
        return move(step);
    case Qt::Key_End:
        return move((m_lengths.longest + step - 1) / step * step);
    default:
        Plot::keyPressEvent(event);
    }
}

void LengthPlot::keyReleaseEvent(QKeyEvent* event)
{
    // A key that is held down is one change.
    if (m_moved && !event->isAutoRepeat()) {
        letGo();
        return;
    }
    Plot::keyReleaseEvent(event);
}

void LengthPlot::focusInEvent(QFocusEvent* event)
{
    Plot::focusInEvent(event);
    restyle();
    refresh();
}

void LengthPlot::focusOutEvent(QFocusEvent* event)
{
    Plot::focusOutEvent(event);
    letGo();
    restyle();
    refresh();
}

bool LengthPlot::isAtLine(const QPointF& position) const
{
    constexpr double reach = 6; // pixels
    const bool onLine = axisRect()->rect().contains(position.toPoint())
        && std::abs(xAxis->coordToPixel(static_cast<double>(m_maxLength)) - position.x()) <= reach;
    const QRectF name(m_name->topLeft->pixelPosition(), m_name->bottomRight->pixelPosition());
    return m_line->visible() && (onLine || name.contains(position));
}

void LengthPlot::move(int64_t tokens)
{
    const int64_t place = std::clamp(tokens, step, std::max(m_most, step));
    if (!m_line->visible() || place == m_maxLength) {
        return;
    }
    m_maxLength = place;
    m_moved = true;
    describe();
    replot(QCustomPlot::rpQueuedReplot);
    emit maxLengthMoved(place);
}

void LengthPlot::letGo()
{
    m_moving = false;
    if (std::exchange(m_moved, false)) {
        emit maxLengthChosen(m_maxLength);
        refresh();
    }
}

void LengthPlot::placeLine()
{
    const bool shown = m_lengths.longest > 0 && m_maxLength > 0;
    m_line->setVisible(shown);
    m_name->setVisible(shown);
    m_beyond->setVisible(shown);
    const auto place = static_cast<double>(m_maxLength);
    m_line->point1->setCoords(place, 0);
    m_line->point2->setCoords(place, 1);
    m_beyond->topLeft->setCoords(std::min(place, xAxis->range().upper), 0);
    // Where the line is out of sight its name waits at the edge.
    const bool outOfSight = place > xAxis->range().upper;
    m_name->setText(
        tr("max_length %1").arg(formatCount(m_maxLength)) + (outOfSight ? QStringLiteral(" \u2192") : QString()));
    const QRect area = axisRect()->rect();
    const double half = QFontMetrics(m_name->font()).horizontalAdvance(m_name->text()) / 2.0 + 8;
    const double most = std::max<double>(area.left() + half, area.right() - half);
    m_name->position->setCoords(std::clamp(xAxis->coordToPixel(place), area.left() + half, most), 0.01);
}

void LengthPlot::describe()
{
    setAccessibleDescription(tr("Mean %1, p50 %2, p90 %3, p95 %4, p99 %5, longest %6 tokens; max_length %7")
                                 .arg(formatCount(std::llround(m_lengths.mean)), formatCount(m_lengths.p50),
                                     formatCount(m_lengths.p90), formatCount(m_lengths.p95), formatCount(m_lengths.p99),
                                     formatCount(m_lengths.longest), formatCount(m_maxLength)));
}

void LengthPlot::restyle()
{
    const QColor base = palette().color(QPalette::Base);
    const QColor bars = seriesColour(palette(), 0);
    m_bars->setPen(QPen(mixed(base, bars, 0.85)));
    m_bars->setBrush(mixed(base, bars, 0.7));
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.85);
    m_marks.restyle(palette(), small);
    QColor shade = warningColour(palette());
    shade.setAlphaF(0.14F);
    m_beyond->setPen(Qt::NoPen);
    m_beyond->setBrush(shade);
    const QColor line = seriesColour(palette(), 1);
    m_line->setPen(curvePen(line, hasFocus() ? 3 : 2));
    small.setBold(true);
    m_name->setFont(small);
    m_name->setColor(hasFocus() ? base : line);
    m_name->setBrush(hasFocus() ? line : base);
    m_name->setPen(curvePen(line, 1));
}

void LengthPlot::fit()
{
    const auto longest = static_cast<double>(std::max<int64_t>(m_lengths.longest, step));
    const auto limit = static_cast<double>(m_maxLength);
    // A limit far beyond the rows would squeeze them.
    xAxis->setRange(0, std::max(longest, limit <= 1.6 * longest ? limit : longest * 1.2) * 1.04);
    const auto counts = valueRange(yAxis);
    yAxis->setRange(0, counts ? counts->upper * 1.2 : 1);
}

} // namespace tunebench
