#include "ui/data/row_text.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/data/visible_text.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace tunebench {

namespace {

// More tokens would take seconds to lay out; nobody reads them.
constexpr size_t mostAtBegin = 6000;
constexpr size_t mostAtEnd = 1000;

} // namespace

TokenLook lookOf(const TokenView& token)
{
    return token.cut ? TokenLook::cut : (token.supervised ? TokenLook::supervised : TokenLook::context);
}

RowText::RowText(QWidget* parent)
    : QTextEdit(parent)
{
    setReadOnly(true);
    setAcceptRichText(false);
    setUndoRedoEnabled(false);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setAccessibleName(tr("The row as it is trained"));
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF());
    setFont(fixed);
    document()->setDocumentMargin(10);
}

void RowText::showRow(const RowView& row)
{
    m_row = row;
    fill();
}

void RowText::setBoundaries(bool shown)
{
    m_boundaries = shown;
    fill();
}

QTextCharFormat RowText::formatOf(const QPalette& palette, TokenLook look, bool shaded)
{
    const QColor base = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    QTextCharFormat format;
    QColor tint = text;
    double share = shaded ? 0.13 : 0;
    switch (look) {
    case TokenLook::context:
        format.setForeground(mixed(base, text, 0.85));
        break;
    case TokenLook::supervised:
        tint = goodColour(palette);
        share = shaded ? 0.28 : 0.14;
        format.setForeground(mixed(tint, text, 0.4));
        break;
    case TokenLook::cut:
        tint = errorColour(palette);
        share = shaded ? 0.18 : 0.06;
        format.setForeground(mixed(tint, text, 0.1));
        format.setFontStrikeOut(true);
        break;
    }
    if (share > 0) {
        format.setBackground(mixed(base, tint, share));
    }
    return format;
}

void RowText::changeEvent(QEvent* event)
{
    QTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        fill();
    }
}

bool RowText::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
        return true;
    }
    return QTextEdit::viewportEvent(event);
}

void RowText::fill()
{
    clear();
    m_places.clear();
    if (!m_row.refusal.empty()) {
        addNote(tr("This row is left out: %1.").arg(QString::fromStdString(m_row.refusal)), errorColour(palette()));
    }
    const size_t count = m_row.tokens.size();
    if (count <= mostAtBegin + mostAtEnd) {
        addTokens(0, count);
    } else {
        addTokens(0, mostAtBegin);
        addNote(tr("\n%1 tokens in between are not shown here.")
                    .arg(formatCount(static_cast<int64_t>(count - mostAtBegin - mostAtEnd))),
            mutedColour(palette()));
        addTokens(count - mostAtEnd, count);
    }
    moveCursor(QTextCursor::Start);
}

void RowText::addTokens(size_t begin, size_t end)
{
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    QString text;
    const auto flush = [&](TokenLook look, bool shaded) {
        cursor.insertText(
            visibleText(text, m_boundaries ? Spaces::all : Spaces::unusual), formatOf(palette(), look, shaded));
        text.clear();
    };
    for (size_t index = begin; index < end; ++index) {
        const TokenView& token = m_row.tokens[index];
        const TokenLook look = lookOf(token);
        // Without boundaries, tokens of one look are one piece of text.
        text += QString::fromStdString(token.text);
        const bool last = index + 1 == end || lookOf(m_row.tokens[index + 1]) != look;
        if (m_boundaries) {
            m_places.push_back({ cursor.position(), index });
            flush(look, index % 2 == 1);
        } else if (last) {
            flush(look, false);
        }
    }
    cursor.endEditBlock();
}

void RowText::addNote(const QString& text, const QColor& colour)
{
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    QTextCharFormat format;
    format.setForeground(colour);
    format.setFontItalic(true);
    cursor.insertText(text + QStringLiteral("\n\n"), format);
}

QString RowText::tipAt(const QPoint& position) const
{
    if (m_places.empty()) {
        return {};
    }
    const int at = cursorForPosition(position).position();
    const auto after = std::upper_bound(
        m_places.begin(), m_places.end(), at, [](int wanted, const Place& place) { return wanted < place.position; });
    if (after == m_places.begin()) {
        return {};
    }
    const size_t index = std::prev(after)->token;
    const TokenView& token = m_row.tokens[index];
    return tr("token %1 of the row, id %2%3")
        .arg(formatCount(static_cast<int64_t>(index) + 1))
        .arg(token.id)
        .arg(token.cut ? tr(", cut") : (token.supervised ? tr(", learned") : QString()));
}

} // namespace tunebench
