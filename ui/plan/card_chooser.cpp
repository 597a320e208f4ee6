#include "ui/plan/card_chooser.h"

#include "core/config/cards.h"
#include "ui/base/format.h"
#include "ui/form/config_model.h"

#include <nlohmann/json.hpp>

namespace tunebench {

CardChooser::CardChooser(ConfigModel& model, QWidget* parent)
    : QComboBox(parent)
    , m_model(model)
{
    addItem(tr("This machine"));
    for (const Card& card : cards()) {
        addItem(tr("%1 (%2)").arg(QString::fromStdString(card.name), formatBytes(card.usable)),
            QString::fromStdString(card.name));
    }
    setAccessibleName(tr("Card to plan for"));
    setToolTip(tr("The run is planned for this card, and limited to its memory."));
    connect(this, &QComboBox::activated, this, &CardChooser::choose);
    connect(&m_model, &ConfigModel::changed, this, &CardChooser::showChoice);
    showChoice();
}

void CardChooser::showChoice()
{
    const auto& card = m_model.choice().values.card;
    if (!card) {
        setCurrentIndex(0);
        return;
    }
    const QString text = QString::fromStdString(*card);
    if (findData(text) < 0) { // an amount, or a name written otherwise
        addItem(text, text);
    }
    setCurrentIndex(findData(text));
}

void CardChooser::choose(int index)
{
    const QVariant card = itemData(index);
    m_model.set("card", card.isValid() ? nlohmann::json(card.toString().toStdString()) : nlohmann::json());
}

} // namespace tunebench
