#pragma once

#include "ui/form/option_editor.h"

class QHBoxLayout;
class QPlainTextEdit;

namespace tunebench {

/// A list of texts, one a line, so that commas are nothing special; Shift+Enter breaks the line within a text.
class LinesEditor : public OptionEditor {
    Q_OBJECT
public:
    LinesEditor(const QString& placeholder, QWidget* parent);

    nlohmann::json value() const override;
    void setValue(const nlohmann::json& value) override;

protected:
    /// Those that are more than white space.
    QStringList texts() const;
    /// Shows them as if they had been typed.
    void replaceTexts(const QStringList& texts);
    /// Where the lines lie, with room for more behind them.
    QHBoxLayout* row() const { return m_row; }

private:
    void fitHeight();

    QHBoxLayout* m_row;
    QPlainTextEdit* m_lines;
};

} // namespace tunebench
