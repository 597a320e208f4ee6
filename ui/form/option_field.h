#pragma once

#include "core/config/options.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace tunebench {

class ConfigModel;
class OptionEditor;

/// One option in the form: label with a mark when it is set, editor, unit, the way back to the default, and under it
/// what is wrong with the value.
class OptionField : public QWidget {
    Q_OBJECT
public:
    OptionField(const Option& option, ConfigModel& model, QWidget* parent);

    const Option& option() const { return m_option; }
    OptionEditor* editor() const { return m_editor; }
    QString message() const;

    /// What is known of the value, in words below it; empty for nothing.
    void setNote(const QString& text);

    /// All labels of a form are equally wide.
    int labelWidth() const;
    void setLabelWidth(int width);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showValue();
    void showFindings();

    const Option& m_option;
    ConfigModel& m_model;
    QLabel* m_label;
    OptionEditor* m_editor;
    QToolButton* m_reset;
    QLabel *m_message, *m_note;
    bool m_warning = false;
};

} // namespace tunebench
