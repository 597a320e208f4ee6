#pragma once

#include <QColor>
#include <QPalette>
#include <QString>

namespace tunebench {

enum class Theme { system, light, dark };

/// The name under which a theme is stored.
QString themeName(Theme theme);
Theme themeFromName(const QString& name);

/// Gives the application the Fusion style and the theme's palette; `system` is light or dark as the desktop is.
void applyTheme(Theme theme);

bool isDark(const QPalette& palette);

/// Colours that tell series apart for colour-blind people too (after Okabe and Ito), as readable on this palette. Index
/// wraps round.
QColor seriesColour(const QPalette& palette, int index);

QColor errorColour(const QPalette& palette);
QColor warningColour(const QPalette& palette);
QColor goodColour(const QPalette& palette);

/// Secondary text, still readable.
QColor mutedColour(const QPalette& palette);

/// `share` (0 to 1) of `over` on `under`.
QColor mixed(const QColor& under, const QColor& over, double share);

} // namespace tunebench
