#pragma once

#include "ui/form/option_editor.h"

class QCheckBox;
class QComboBox;

namespace tunebench {

class BooleanEditor : public OptionEditor {
    Q_OBJECT
public:
    BooleanEditor(const Option& option, QWidget* parent);

    nlohmann::json value() const override;
    void setValue(const nlohmann::json& value) override;

private:
    QCheckBox* m_box;
};

/// One of the option's choices.
class ChoiceEditor : public OptionEditor {
    Q_OBJECT
public:
    ChoiceEditor(const Option& option, QWidget* parent);

    nlohmann::json value() const override;
    void setValue(const nlohmann::json& value) override;

private:
    QComboBox* m_list;
};

/// Free text with suggestions.
class SuggestionEditor : public OptionEditor {
    Q_OBJECT
public:
    SuggestionEditor(const Option& option, QWidget* parent);

    nlohmann::json value() const override;
    void setValue(const nlohmann::json& value) override;

private:
    QComboBox* m_list;
};

/// What is worth suggesting for a text option on this machine; empty for most.
QStringList suggestions(const std::string& key);

} // namespace tunebench
