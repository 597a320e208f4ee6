#include "ui/base/title.h"

#include <QLabel>

namespace tunebench {

QLabel* makeTitle(const QString& text, QWidget* parent)
{
    auto* title = new QLabel(text, parent);
    QFont bold = parent->font();
    bold.setBold(true);
    title->setFont(bold);
    return title;
}

} // namespace tunebench
