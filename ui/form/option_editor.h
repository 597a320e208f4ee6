#pragma once

#include "core/config/options.h"

#include <QWidget>

#include <nlohmann/json_fwd.hpp>

namespace tunebench {

/// Edits the value of one option, whatever its kind.
class OptionEditor : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    /// What stands there, for setOption: typed text is given as it is, so the option's own reader judges it.
    virtual nlohmann::json value() const = 0;

    /// Shows a value; edited() is not emitted.
    virtual void setValue(const nlohmann::json& value) = 0;

signals:
    void edited();
};

/// The editor for an option's kind: check box, list of choices, path with a chooser, list of paths or of
/// prose, or a line of text.
OptionEditor* makeOptionEditor(const Option& option, QWidget* parent);

} // namespace tunebench
