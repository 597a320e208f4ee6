#include "ui/form/option_help.h"

#include "ui/base/theme.h"
#include "ui/form/line_editor.h"

#include <QEvent>

#include <nlohmann/json.hpp>

namespace tunebench {

OptionHelp::OptionHelp(QWidget* parent)
    : QLabel(parent)
{
    setWordWrap(true);
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    setAlignment(Qt::AlignTop | Qt::AlignLeft);
    constexpr int lines = 5;
    setFixedHeight(fontMetrics().lineSpacing() * lines + 8);
    restyle();
}

void OptionHelp::showOption(const Option& option)
{
    m_option = &option;
    restyle();
}

void OptionHelp::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

void OptionHelp::restyle()
{
    const QString muted = mutedColour(palette()).name();
    if (m_option == nullptr) {
        setText(QStringLiteral("<span style='color:%1'>%2</span>")
                    .arg(muted, tr("Choose a field to read what it means. Bold labels differ from the default.")));
        return;
    }
    const auto escaped = [](const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); };
    const QString standard = valueText(optionValue(RunConfig {}, m_option->key));
    QString facts
        = tr("%1; default: %2")
              .arg(escaped(allowedValues(*m_option)), standard.isEmpty() ? tr("none") : standard.toHtmlEscaped());
    if (!m_option->huggingFaceName.empty()) {
        facts += tr("; Hugging Face: %1").arg(escaped(m_option->huggingFaceName));
    }
    setText(QStringLiteral("<b>%1</b> &nbsp;<span style='color:%2'>%3</span><br>%4<br><span style='color:%2'>%5</span>")
                .arg(escaped(m_option->label), muted, escaped(m_option->key), escaped(m_option->help), facts));
}

} // namespace tunebench
