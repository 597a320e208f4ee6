#pragma once

#include "core/config/run_config.h"

#include <QComboBox>

namespace tunebench {

class ConfigModel;

/// The form's card: this machine, a card of the list, or an amount that the form has.
class CardChooser : public QComboBox {
    Q_OBJECT
public:
    CardChooser(ConfigModel& model, QWidget* parent);

private:
    void showChoice();
    void choose(int index);

    ConfigModel& m_model;
};

} // namespace tunebench
