#include "ui/base/banner.h"

#include "ui/base/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace tunebench {

Banner::Banner(QWidget* parent)
    : QFrame(parent)
    , m_text(new QLabel(this))
{
    setAutoFillBackground(true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 8, 8, 8);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_text, 1);
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("\u2715"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Close the message"));
    close->setToolTip(close->accessibleName());
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    layout->addWidget(close, 0, Qt::AlignTop);
    hide();
}

void Banner::showMessage(Kind kind, const QString& text)
{
    m_kind = kind;
    m_text->setText(text);
    restyle();
    setVisible(true);
}

QString Banner::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void Banner::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

void Banner::restyle()
{
    const QPalette theme = parentWidget()->palette();
    const QColor colour = m_kind == Kind::good ? goodColour(theme)
                                               : (m_kind == Kind::warning ? warningColour(theme) : errorColour(theme));
    const QColor background = mixed(theme.color(QPalette::Base), colour, 0.16);
    if (background != palette().color(QPalette::Window)) {
        // This one role only: the others go on following the theme.
        QPalette own;
        own.setColor(QPalette::Window, background);
        setPalette(own);
    }
}

} // namespace tunebench
