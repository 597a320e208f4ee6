#include "ui/base/theme.h"

#include "ui/base/outline_style.h"

#include <QApplication>

#include <array>

namespace tunebench {

namespace {

struct ThemeColours {
    QRgb window, base, alternate, text, button, highlight, highlightedText, link;
};

constexpr ThemeColours lightColours { 0xfff4f5f7, 0xffffffff, 0xfff7f8fa, 0xff1f2328, 0xfffafbfc, 0xff1f6fb5,
    0xffffffff, 0xff1f6fb5 };
constexpr ThemeColours darkColours { 0xff1f2227, 0xff17191d, 0xff1c1f24, 0xffdde1e6, 0xff2b2f36, 0xff3b82c4, 0xffffffff,
    0xff6cb2ee };

QPalette paletteOf(const ThemeColours& colours)
{
    QPalette palette { QColor(colours.button), QColor(colours.window) };
    palette.setColor(QPalette::Base, QColor(colours.base));
    palette.setColor(QPalette::AlternateBase, QColor(colours.alternate));
    palette.setColor(QPalette::ToolTipBase, QColor(colours.button));
    for (const auto role : { QPalette::Text, QPalette::WindowText, QPalette::ButtonText, QPalette::ToolTipText }) {
        palette.setColor(role, QColor(colours.text));
    }
    palette.setColor(QPalette::Highlight, QColor(colours.highlight));
    palette.setColor(QPalette::HighlightedText, QColor(colours.highlightedText));
    palette.setColor(QPalette::Link, QColor(colours.link));
    const QColor faded = mixed(QColor(colours.window), QColor(colours.text), 0.45);
    palette.setColor(QPalette::PlaceholderText, mixed(QColor(colours.window), QColor(colours.text), 0.6));
    for (const auto role : { QPalette::Text, QPalette::WindowText, QPalette::ButtonText }) {
        palette.setColor(QPalette::Disabled, role, faded);
    }
    palette.setColor(
        QPalette::Disabled, QPalette::Highlight, mixed(QColor(colours.window), QColor(colours.text), 0.25));
    return palette;
}

bool desktopIsDark()
{
    // Without an own palette the application shows the desktop's.
    QApplication::setPalette(QPalette());
    return isDark(QApplication::palette());
}

} // namespace

QString themeName(Theme theme)
{
    switch (theme) {
    case Theme::light:
        return QStringLiteral("light");
    case Theme::dark:
        return QStringLiteral("dark");
    case Theme::system:
        break;
    }
    return QStringLiteral("system");
}

Theme themeFromName(const QString& name)
{
    for (const Theme theme : { Theme::light, Theme::dark }) {
        if (name == themeName(theme)) {
            return theme;
        }
    }
    return Theme::system;
}

void applyTheme(Theme theme)
{
    QApplication::setStyle(new OutlineStyle);
    const bool dark = theme == Theme::dark || (theme == Theme::system && desktopIsDark());
    QApplication::setPalette(paletteOf(dark ? darkColours : lightColours));
}

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

QColor seriesColour(const QPalette& palette, int index)
{
    static constexpr std::array<QRgb, 8> onLight { 0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7, 0xffb98600,
        0xff3f9fd6, 0xff7a4fa3, 0xff5c6670 };
    static constexpr std::array<QRgb, 8> onDark { 0xff56b4e9, 0xffff8a3d, 0xff2fc496, 0xffe79ac4, 0xffe6c229,
        0xff8ea9ff, 0xffb58ae0, 0xffaab4be };
    const auto& colours = isDark(palette) ? onDark : onLight;
    return QColor(colours.at(static_cast<size_t>(index) % colours.size()));
}

QColor errorColour(const QPalette& palette)
{
    return isDark(palette) ? QColor(0xff, 0x7b, 0x72) : QColor(0xb4, 0x23, 0x18);
}

QColor warningColour(const QPalette& palette)
{
    return isDark(palette) ? QColor(0xe3, 0xb3, 0x41) : QColor(0x8a, 0x5a, 0x00);
}

QColor goodColour(const QPalette& palette)
{
    return isDark(palette) ? QColor(0x3f, 0xb9, 0x80) : QColor(0x1a, 0x7f, 0x4b);
}

QColor mutedColour(const QPalette& palette)
{
    return mixed(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.65);
}

QColor mixed(const QColor& under, const QColor& over, double share)
{
    const auto channel = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    return { channel(under.red(), over.red()), channel(under.green(), over.green()),
        channel(under.blue(), over.blue()) };
}

} // namespace tunebench
