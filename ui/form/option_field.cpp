#include "ui/form/option_field.h"

#include "ui/base/theme.h"
#include "ui/form/config_model.h"
#include "ui/form/option_editor.h"

#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>

#include <nlohmann/json.hpp>

namespace tunebench {

OptionField::OptionField(const Option& option, ConfigModel& model, QWidget* parent)
    : QWidget(parent)
    , m_option(option)
    , m_model(model)
    , m_label(new QLabel(QString::fromStdString(option.label), this))
    , m_editor(makeOptionEditor(option, this))
    , m_reset(new QToolButton(this))
    , m_message(new QLabel(this))
    , m_note(new QLabel(this))
{
    setObjectName(QString::fromStdString(option.key));
    const QString tip = QStringLiteral("<p>%1</p><p><code>%2</code></p>")
                            .arg(QString::fromStdString(option.help).toHtmlEscaped(), objectName());
    m_label->setToolTip(tip);
    m_label->setBuddy(m_editor);
    m_label->setWordWrap(true);
    m_editor->focusProxy()->setAccessibleName(QString::fromStdString(option.label));
    m_editor->focusProxy()->setAccessibleDescription(QString::fromStdString(option.help));

    m_reset->setText(QStringLiteral("\u21ba"));
    m_reset->setAutoRaise(true);
    m_reset->setAccessibleName(tr("Reset %1").arg(QString::fromStdString(option.label)));
    m_reset->setFocusPolicy(Qt::TabFocus);
    auto kept = m_reset->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    m_reset->setSizePolicy(kept);
    for (QLabel* label : { m_message, m_note }) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_note->setTextFormat(Qt::PlainText);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->hide();

    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 2, 0, 2);
    layout->setHorizontalSpacing(8);
    layout->setVerticalSpacing(2);
    layout->addWidget(m_label, 0, 0);
    layout->addWidget(m_editor, 0, 1);
    layout->addWidget(m_reset, 0, 2, Qt::AlignTop);
    layout->addWidget(m_message, 1, 1, 1, 2);
    layout->addWidget(m_note, 2, 1, 1, 2);
    layout->setColumnStretch(1, 1);

    for (QWidget* widget : m_editor->findChildren<QWidget*>()) {
        widget->installEventFilter(this);
    }
    connect(m_editor, &OptionEditor::edited, this, [this] { m_model.edit(m_option.key, m_editor->value()); });
    connect(m_reset, &QToolButton::clicked, this, [this] {
        m_editor->setFocus();
        m_model.reset(m_option.key);
    });
    connect(&m_model, &ConfigModel::replaced, this, &OptionField::showValue);
    connect(&m_model, &ConfigModel::changed, this, &OptionField::showFindings);
    showValue();
    showFindings();
}

QString OptionField::message() const
{
    return m_message->text();
}

void OptionField::setNote(const QString& text)
{
    m_note->setText(text);
    m_note->setVisible(!text.isEmpty());
}

int OptionField::labelWidth() const
{
    QFont bold = m_label->font();
    bold.setBold(true);
    return QFontMetrics(bold).horizontalAdvance(m_label->text());
}

void OptionField::setLabelWidth(int width)
{
    m_label->setFixedWidth(width);
}

bool OptionField::eventFilter(QObject* watched, QEvent* event)
{
    // Undo and redo go over the whole form, not over the letters of one field.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void OptionField::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        showFindings();
    }
}

void OptionField::showValue()
{
    m_editor->setValue(optionValue(m_model.choice().values, m_option.key));
}

void OptionField::showFindings()
{
    const bool set = m_model.isSet(m_option.key);
    QFont font = m_label->font();
    font.setBold(set);
    m_label->setFont(font);
    m_reset->setVisible(set);
    if (set) {
        const auto value = optionValue(RunConfig {}, m_option.key);
        m_reset->setToolTip(tr("Changed. Back to the default: %1").arg(QString::fromStdString(value.dump())));
    }
    QStringList texts;
    bool warning = true;
    for (const Finding& finding : m_model.findings()) {
        if (finding.key == m_option.key) {
            texts.push_back(QString::fromStdString(finding.message));
            warning = warning && finding.warning;
        }
    }
    QPalette colours;
    colours.setColor(QPalette::WindowText, warning ? warningColour(palette()) : errorColour(palette()));
    m_message->setPalette(colours);
    m_message->setText(texts.join(QLatin1Char('\n')));
    m_message->setVisible(!texts.isEmpty());
}

} // namespace tunebench
