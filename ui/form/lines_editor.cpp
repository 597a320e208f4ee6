#include "ui/form/lines_editor.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QTextBlock>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

/// Each text becomes a paragraph; a line break within one is what Shift+Enter writes, which setPlainText() would make a
/// paragraph's end.
void fill(QPlainTextEdit& lines, QStringList texts)
{
    texts.replaceInStrings(QStringLiteral("\n"), QString(QChar::LineSeparator));
    lines.clear();
    QTextCursor(lines.document()).insertText(texts.join(QLatin1Char('\n')));
    lines.document()->clearUndoRedoStacks();
    lines.moveCursor(QTextCursor::Start);
}

} // namespace

LinesEditor::LinesEditor(const QString& placeholder, QWidget* parent)
    : OptionEditor(parent)
    , m_row(new QHBoxLayout(this))
    , m_lines(new QPlainTextEdit(this))
{
    m_row->setContentsMargins({});
    m_row->setSpacing(4);
    m_row->addWidget(m_lines, 1);
    m_lines->setPlaceholderText(placeholder);
    m_lines->setTabChangesFocus(true);
    m_lines->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_lines->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusProxy(m_lines);
    connect(m_lines, &QPlainTextEdit::textChanged, this, [this] {
        fitHeight();
        emit edited();
    });
    fitHeight();
}

nlohmann::json LinesEditor::value() const
{
    auto list = nlohmann::json::array();
    for (const QString& text : texts()) {
        list.push_back(text.toStdString());
    }
    return list;
}

void LinesEditor::setValue(const nlohmann::json& value)
{
    QStringList texts;
    for (const auto& text : value) {
        texts.push_back(QString::fromStdString(text.get<std::string>()));
    }
    const QSignalBlocker blocker(m_lines);
    fill(*m_lines, std::move(texts));
    fitHeight();
}

QStringList LinesEditor::texts() const
{
    QStringList texts;
    for (QTextBlock block = m_lines->document()->begin(); block.isValid(); block = block.next()) {
        QString text = block.text().replace(QChar::LineSeparator, QLatin1Char('\n'));
        if (!text.trimmed().isEmpty()) {
            texts.push_back(std::move(text));
        }
    }
    return texts;
}

void LinesEditor::replaceTexts(const QStringList& texts)
{
    {
        const QSignalBlocker blocker(m_lines);
        fill(*m_lines, texts);
    }
    fitHeight();
    emit edited();
}

void LinesEditor::fitHeight()
{
    constexpr int most = 4;
    const QString text = m_lines->toPlainText();
    const int all = static_cast<int>(text.count(QLatin1Char('\n'))) + 1;
    const int margins = 2 * static_cast<int>(m_lines->document()->documentMargin()) + 2 * m_lines->frameWidth();
    m_lines->setVerticalScrollBarPolicy(all > most ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    m_lines->setFixedHeight(std::min(all, most) * m_lines->fontMetrics().lineSpacing() + margins);
    m_lines->setToolTip(text);
}

} // namespace tunebench
