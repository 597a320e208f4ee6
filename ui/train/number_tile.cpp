#include "ui/train/number_tile.h"

#include "ui/base/format.h"

#include <QLabel>
#include <QVBoxLayout>

namespace tunebench {

NumberTile::NumberTile(const QString& name, QWidget* parent)
    : QFrame(parent)
    , m_value(new QLabel(unknownText(), this))
    , m_detail(new QLabel(this))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* title = new QLabel(name, this);
    QFont small = title->font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    for (QLabel* label : { title, m_detail }) {
        label->setFont(small);
        label->setForegroundRole(QPalette::PlaceholderText);
    }
    QFont large = m_value->font();
    large.setPointSizeF(large.pointSizeF() * 1.35);
    m_value->setFont(large);
    m_value->setObjectName(QStringLiteral("value"));
    m_value->setAccessibleName(name);
    m_value->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 6, 10, 6);
    layout->setSpacing(0);
    layout->addWidget(title);
    layout->addWidget(m_value);
    layout->addWidget(m_detail);
}

void NumberTile::setValue(const QString& value, const QString& detail)
{
    m_value->setText(value);
    m_detail->setText(detail);
}

QString NumberTile::value() const
{
    return m_value->text();
}

} // namespace tunebench
