#include "ui/train/memory_strip.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <numeric>

namespace tunebench {

QString categoryHelp(MemoryCategory category)
{
    switch (category) {
    case MemoryCategory::weights:
        return MemoryStrip::tr("The frozen weights of the model. precision halves them, and nf4 does more.");
    case MemoryCategory::trainableWeights:
        return MemoryStrip::tr("What is trained, held as fp32. method, lora_rank and lora_targets decide.");
    case MemoryCategory::gradients:
        return MemoryStrip::tr("One fp32 number for each trained weight.");
    case MemoryCategory::optimizer:
        return MemoryStrip::tr("What the optimizer keeps of each trained weight. optimizer decides.");
    case MemoryCategory::savedActivations:
        return MemoryStrip::tr("What the forward pass keeps for the backward pass. batch_size, max_length, compute and "
                               "gradient_checkpointing decide.");
    case MemoryCategory::logitsAndLoss:
        return MemoryStrip::tr("The scores of a chunk of tokens over the whole vocabulary, and their gradient.");
    case MemoryCategory::temporary:
        return MemoryStrip::tr("What an operation needs while it computes.");
    }
    return {};
}

MemoryStrip::MemoryStrip(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Planned memory by category"));
}

void MemoryStrip::show(const MemoryBreakdown& peak, int64_t limit)
{
    m_peak = peak;
    m_limit = limit;
    update();
}

void MemoryStrip::clear()
{
    show({}, 0);
}

QSize MemoryStrip::sizeHint() const
{
    return { 200, fontMetrics().height() };
}

int64_t MemoryStrip::scale() const
{
    return std::max({ m_limit, std::reduce(m_peak.begin(), m_peak.end()), int64_t { 1 } });
}

std::pair<double, double> MemoryStrip::extentOf(size_t category) const
{
    const auto end = m_peak.begin() + static_cast<std::ptrdiff_t>(category);
    const auto before = static_cast<double>(std::reduce(m_peak.begin(), end));
    const double pixels = static_cast<double>(width()) / static_cast<double>(scale());
    return { before * pixels, (before + static_cast<double>(m_peak.at(category))) * pixels };
}

std::optional<MemoryCategory> MemoryStrip::categoryAt(const QPoint& place) const
{
    for (size_t i = 0; i < m_peak.size(); ++i) {
        const auto [from, to] = extentOf(i);
        if (place.x() >= from && place.x() < to) {
            return static_cast<MemoryCategory>(i);
        }
    }
    return std::nullopt;
}

void MemoryStrip::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    for (size_t i = 0; i < m_peak.size(); ++i) {
        const auto [from, to] = extentOf(i);
        painter.fillRect(QRectF(from, 0, to - from, height()), seriesColour(palette(), static_cast<int>(i)));
    }
    if (m_limit > 0 && m_limit < scale()) {
        const double at = static_cast<double>(m_limit) / static_cast<double>(scale()) * width();
        painter.fillRect(QRectF(at - 1, 0, 2, height()), errorColour(palette()));
    }
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

bool MemoryStrip::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto category = categoryAt(help->pos());
    if (!category) {
        QToolTip::showText(help->globalPos(), m_roomHelp, this); // an empty text hides the last one
        return true;
    }
    QToolTip::showText(help->globalPos(),
        tr("<b>%1</b>: %2<br>%3")
            .arg(toQString(memoryCategoryName(*category)), formatBytes(m_peak.at(static_cast<size_t>(*category))),
                categoryHelp(*category)),
        this);
    return true;
}

} // namespace tunebench
