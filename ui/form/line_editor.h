#pragma once

#include "ui/form/option_editor.h"

class QLabel;
class QLineEdit;

namespace tunebench {

/// Numbers, texts and comma-separated lists, as the command line writes them.
class LineEditor : public OptionEditor {
    Q_OBJECT
public:
    LineEditor(const Option& option, QWidget* parent);

    nlohmann::json value() const override;
    void setValue(const nlohmann::json& value) override;

private:
    void showSize();

    const Option& m_option;
    QLineEdit* m_line;
    QLabel* m_unit;
};

/// A value as the command line writes it: nothing for null, lists comma-separated, numbers in full precision.
QString valueText(const nlohmann::json& value);

} // namespace tunebench
