#pragma once

#include "core/config/options.h"

#include <QLabel>

namespace tunebench {

/// Says what the option with the focus means: help, key, what it may be, its default, what others call it.
class OptionHelp : public QLabel {
    Q_OBJECT
public:
    explicit OptionHelp(QWidget* parent);

    void showOption(const Option& option);

protected:
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    const Option* m_option = nullptr;
};

} // namespace tunebench
