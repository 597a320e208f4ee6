#include "ui/data/length_marks.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tunebench {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("LengthMarks", text);
}

} // namespace

LengthMarks::LengthMarks(QCustomPlot& plot)
    : m_plot(plot)
{
}

void LengthMarks::setLengths(const LengthSummary& lengths)
{
    for (const Mark& mark : std::exchange(m_marks, {})) {
        m_plot.removeItem(mark.line);
        m_plot.removeItem(mark.name);
    }
    if (lengths.longest == 0) {
        return;
    }
    add(lengths.mean, translated(QT_TRANSLATE_NOOP("LengthMarks", "mean")));
    add(static_cast<double>(lengths.p50), QStringLiteral("p50"));
    add(static_cast<double>(lengths.p90), QStringLiteral("p90"));
    add(static_cast<double>(lengths.p95), QStringLiteral("p95"));
    add(static_cast<double>(lengths.p99), QStringLiteral("p99"));
    add(static_cast<double>(lengths.longest), translated(QT_TRANSLATE_NOOP("LengthMarks", "longest")));
    std::stable_sort(m_marks.begin(), m_marks.end(), [](const Mark& a, const Mark& b) { return a.place < b.place; });
}

void LengthMarks::add(double place, const QString& name)
{
    Mark mark { place, new QCPItemLine(&m_plot), new QCPItemText(&m_plot) };
    for (QCPItemPosition* position : { mark.line->start, mark.line->end, mark.name->position }) {
        position->setTypeX(QCPItemPosition::ptPlotCoords);
        position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    mark.line->start->setCoords(place, 1);
    mark.line->setClipToAxisRect(false);
    mark.line->setSelectable(false);
    mark.name->setClipToAxisRect(false);
    mark.name->setSelectable(false);
    mark.name->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
    mark.name->setText(QStringLiteral("%1 %2").arg(name, formatCount(std::llround(place))));
    m_marks.push_back(mark);
}

void LengthMarks::restyle(const QPalette& palette, const QFont& font)
{
    const QColor base = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    QPen pen(mixed(base, text, 0.45));
    pen.setStyle(Qt::DashLine);
    for (const Mark& mark : m_marks) {
        mark.line->setPen(pen);
        mark.name->setFont(font);
        mark.name->setColor(mixed(base, text, 0.85));
    }
}

void LengthMarks::arrange()
{
    constexpr int gap = 8; // pixels
    const QRect area = m_plot.axisRect()->rect();
    const QCPRange range = m_plot.xAxis->range();
    std::vector<double> rowEnds; // of the last name in each row, pixels
    int height = 0;
    for (const Mark& mark : m_marks) {
        const bool inside = range.contains(mark.place);
        mark.line->setVisible(inside);
        mark.name->setVisible(inside);
        if (!inside || area.height() <= 0) {
            continue;
        }
        const QFontMetrics metrics(mark.name->font());
        height = metrics.height();
        const double width = metrics.horizontalAdvance(mark.name->text());
        const double at = m_plot.xAxis->coordToPixel(mark.place);
        // Names at the ends of the plot lean inwards.
        const double most = std::max<double>(area.left(), area.right() - width);
        const double left = std::clamp(at - width / 2, static_cast<double>(area.left()), most);
        const auto free = std::find_if(rowEnds.begin(), rowEnds.end(), [left](double end) { return end + gap < left; });
        const auto row = static_cast<double>(free - rowEnds.begin());
        if (free == rowEnds.end()) {
            rowEnds.push_back(left + width);
        } else {
            *free = left + width;
        }
        const double top = -(row * height + 2) / area.height();
        mark.name->position->setCoords(m_plot.xAxis->pixelToCoord(left + width / 2), top);
        mark.line->end->setCoords(mark.place, top);
    }
    const int room = static_cast<int>(rowEnds.size()) * height + gap;
    m_plot.axisRect()->setMinimumMargins({ 0, room, 10, 0 });
}

} // namespace tunebench
