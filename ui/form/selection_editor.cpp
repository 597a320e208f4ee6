#include "ui/form/selection_editor.h"

#include "core/memory/nvml.h"
#include "ui/base/format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QWheelEvent>

#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

/// A list that leaves the wheel to the page around it unless it has the focus.
class QuietComboBox : public QComboBox {
public:
    explicit QuietComboBox(QWidget* parent)
        : QComboBox(parent)
    {
        setFocusPolicy(Qt::StrongFocus);
    }

protected:
    void wheelEvent(QWheelEvent* event) override
    {
        if (hasFocus()) {
            QComboBox::wheelEvent(event);
        } else {
            event->ignore();
        }
    }
};

template <class Widget> Widget* fill(OptionEditor* editor, Widget* widget)
{
    auto* layout = new QHBoxLayout(editor);
    layout->setContentsMargins({});
    layout->addWidget(widget);
    editor->setFocusProxy(widget);
    return widget;
}

} // namespace

BooleanEditor::BooleanEditor(const Option&, QWidget* parent)
    : OptionEditor(parent)
    , m_box(fill(this, new QCheckBox(this)))
{
    connect(m_box, &QCheckBox::clicked, this, &BooleanEditor::edited);
}

nlohmann::json BooleanEditor::value() const
{
    return m_box->isChecked();
}

void BooleanEditor::setValue(const nlohmann::json& value)
{
    m_box->setChecked(value.get<bool>());
}

ChoiceEditor::ChoiceEditor(const Option& option, QWidget* parent)
    : OptionEditor(parent)
    , m_list(fill(this, new QuietComboBox(this)))
{
    m_list->addItems(toQStrings(option.choices));
    connect(m_list, &QComboBox::activated, this, &ChoiceEditor::edited);
}

nlohmann::json ChoiceEditor::value() const
{
    return m_list->currentText().toStdString();
}

void ChoiceEditor::setValue(const nlohmann::json& value)
{
    m_list->setCurrentText(QString::fromStdString(value.get<std::string>()));
}

SuggestionEditor::SuggestionEditor(const Option& option, QWidget* parent)
    : OptionEditor(parent)
    , m_list(fill(this, new QuietComboBox(this)))
{
    m_list->setEditable(true);
    m_list->setInsertPolicy(QComboBox::NoInsert);
    m_list->addItems(suggestions(option.key));
    connect(m_list->lineEdit(), &QLineEdit::textEdited, this, &SuggestionEditor::edited);
    connect(m_list, &QComboBox::activated, this, &SuggestionEditor::edited);
}

nlohmann::json SuggestionEditor::value() const
{
    return m_list->currentText().toStdString();
}

void SuggestionEditor::setValue(const nlohmann::json& value)
{
    m_list->setEditText(QString::fromStdString(value.get<std::string>()));
}

QStringList suggestions(const std::string& key)
{
    if (key != "device") {
        return {};
    }
    QStringList devices { QStringLiteral("auto"), QStringLiteral("cpu") };
    const Nvml nvml;
    for (int device = 0; device < nvml.deviceCount(); ++device) {
        devices.push_back(QStringLiteral("cuda:%1").arg(device));
    }
    return devices;
}

} // namespace tunebench
