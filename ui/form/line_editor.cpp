#include "ui/form/line_editor.h"

#include "core/config/number_text.h"
#include "ui/base/format.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

/// Lines with a unit are equally long.
int widestUnit(const QFontMetrics& metrics)
{
    int widest = 0;
    for (const Option& option : options()) {
        widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(option.unit)));
    }
    return widest;
}

} // namespace

LineEditor::LineEditor(const Option& option, QWidget* parent)
    : OptionEditor(parent)
    , m_option(option)
    , m_line(new QLineEdit(this))
    , m_unit(new QLabel(QString::fromStdString(option.unit), this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(m_line, 1);
    layout->addWidget(m_unit);
    m_unit->setVisible(!option.unit.empty());
    m_unit->setForegroundRole(QPalette::PlaceholderText);
    m_unit->setMinimumWidth(widestUnit(fontMetrics()));
    if (option.optional) {
        m_line->setPlaceholderText(tr("not set"));
    }
    setFocusProxy(m_line);
    connect(m_line, &QLineEdit::textChanged, this, &LineEditor::showSize);
    connect(m_line, &QLineEdit::textEdited, this, &LineEditor::edited);
}

nlohmann::json LineEditor::value() const
{
    const QString text = m_line->text();
    if (m_option.optional && text.trimmed().isEmpty()) {
        return nullptr;
    }
    return text.toStdString();
}

void LineEditor::setValue(const nlohmann::json& value)
{
    m_line->setText(valueText(value));
    m_line->setCursorPosition(0);
}

void LineEditor::showSize()
{
    if (m_option.unit != "bytes") {
        return;
    }
    const auto bytes = parseInteger(m_line->text().toStdString());
    m_unit->setText(bytes && *bytes >= 1024 ? tr("bytes = %1").arg(formatBytes(*bytes)) : tr("bytes"));
}

QString valueText(const nlohmann::json& value)
{
    if (value.is_null()) {
        return {};
    }
    if (value.is_string()) {
        return QString::fromStdString(value.get<std::string>());
    }
    if (value.is_array()) {
        QStringList texts;
        for (const auto& element : value) {
            texts.push_back(valueText(element));
        }
        return texts.join(QStringLiteral(", "));
    }
    return QString::fromStdString(value.is_number_float() ? numberText(value.get<double>()) : value.dump());
}

} // namespace tunebench
