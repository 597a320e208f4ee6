#include "ui/base/app_icon.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace tunebench {

namespace {

QPixmap drawn(int size)
{
    QPixmap picture(size, size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(size / 64.0, size / 64.0);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0x1f, 0x6f, 0xb5));
    painter.drawRoundedRect(QRectF(2, 2, 60, 60), 14, 14);
    QPainterPath curve(QPointF(13, 14));
    curve.cubicTo(QPointF(19, 44), QPointF(30, 46), QPointF(51, 48));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::white, 6, Qt::SolidLine, Qt::RoundCap));
    painter.drawPath(curve);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0xff, 0xb3, 0x5c));
    painter.drawEllipse(QPointF(51, 48), 6, 6);
    return picture;
}

} // namespace

QIcon appIcon()
{
    QIcon icon;
    for (const int size : { 16, 32, 48, 128 }) {
        icon.addPixmap(drawn(size));
    }
    return icon;
}

} // namespace tunebench
