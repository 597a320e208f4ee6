#include "ui/data/visible_text.h"

namespace tunebench {

namespace {

constexpr QChar space(u' ');
constexpr QChar dot(u'\u00b7');
constexpr QChar newLine(u'\n');

/// Characters without a shape of their own, some of which turn the text around them.
bool isInvisible(QChar c)
{
    const auto code = c.unicode();
    return c.category() == QChar::Other_Format || code == 0x00ad || code == 0x2028 || code == 0x2029
        || (code >= 0x80 && code < 0xa0);
}

/// A space that the eye would miss or not count.
bool isUnusual(const QString& text, qsizetype at)
{
    const auto isBlank = [&](qsizetype index) {
        return index >= 0 && index < text.size() && (text.at(index) == space || text.at(index) == newLine);
    };
    return isBlank(at - 1) || isBlank(at + 1);
}

} // namespace

QString visibleText(const QString& text, Spaces spaces)
{
    QString shown;
    shown.reserve(text.size());
    for (qsizetype index = 0; index < text.size(); ++index) {
        const QChar c = text.at(index);
        if (c == newLine) {
            shown += QStringLiteral("\u21b5\n");
        } else if (c == space) {
            shown += spaces == Spaces::all || isUnusual(text, index) ? dot : space;
        } else if (c == QChar(u'\t')) {
            shown += QStringLiteral("\u21e5\t");
        } else if (c.unicode() < 0x20) {
            shown += QChar(0x2400 + c.unicode());
        } else if (c.unicode() == 0x7f) {
            shown += QChar(0x2421);
        } else if (isInvisible(c) && c.unicode() != 0x200d) { // a joiner makes one picture of several emoji
            shown += QStringLiteral("\u27e8%1\u27e9").arg(c.unicode(), 4, 16, QLatin1Char('0'));
        } else {
            shown += c;
        }
    }
    return shown;
}

} // namespace tunebench
