#pragma once

#include "ui/form/lines_editor.h"

class QLineEdit;

namespace tunebench {

/// True for the options that name files or folders.
bool isPathOption(const std::string& key);

/// One file or folder, typed or chosen.
class PathEditor : public OptionEditor {
    Q_OBJECT
public:
    PathEditor(const Option& option, QWidget* parent);

    nlohmann::json value() const override;
    void setValue(const nlohmann::json& value) override;

private:
    void choose(const QString& path);

    const Option& m_option;
    QLineEdit* m_line;
};

/// Files and folders, one a line, so that every name can be written.
class PathListEditor : public LinesEditor {
    Q_OBJECT
public:
    PathListEditor(const Option& option, QWidget* parent);

private:
    void choose(const QStringList& paths);
};

} // namespace tunebench
