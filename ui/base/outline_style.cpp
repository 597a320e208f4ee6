#include "ui/base/outline_style.h"

#include "ui/base/theme.h"

#include <QPainter>
#include <QStyleOption>

namespace tunebench {

OutlineStyle::OutlineStyle()
    : QProxyStyle(QStringLiteral("Fusion"))
{
}

void OutlineStyle::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool outlined
        = element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck || element == PE_FrameLineEdit;
    const bool focused = option->state.testFlag(State_HasFocus) && element == PE_FrameLineEdit;
    if (!outlined || focused || !isDark(option->palette)) {
        return;
    }
    constexpr double share = 0.3;
    constexpr double radius = 2;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(mixed(option->palette.color(QPalette::Base), option->palette.color(QPalette::Text), share));
    const int inset = element == PE_FrameLineEdit ? 0 : 1;
    painter->drawRoundedRect(
        QRectF(option->rect).adjusted(inset + 0.5, inset + 0.5, -inset - 0.5, -inset - 0.5), radius, radius);
    painter->restore();
}

} // namespace tunebench
