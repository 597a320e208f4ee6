#pragma once

#include <QProxyStyle>

namespace tunebench {

/// Fusion, which outlines boxes with a darker shade of the window, and so loses them in a dark one: there they get a
/// light outline.
class OutlineStyle : public QProxyStyle {
    Q_OBJECT
public:
    OutlineStyle();

    void drawPrimitive(
        PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
};

} // namespace tunebench
