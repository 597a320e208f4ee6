#include "ui/form/option_section.h"

#include "ui/form/option_field.h"

#include <QCoreApplication>
#include <QFrame>
#include <QLabel>
#include <QVBoxLayout>

namespace tunebench {

OptionSection::OptionSection(OptionGroup group, ConfigModel& model, QWidget* parent)
    : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 12);
    layout->setSpacing(2);
    auto* title = new QLabel(groupTitle(group), this);
    QFont font = title->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 1.1);
    title->setFont(font);
    layout->addWidget(title);
    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    layout->addWidget(line);
    layout->addSpacing(2);
    for (const Option& option : options()) {
        if (option.group == group) {
            m_fields.push_back(new OptionField(option, model, this));
            layout->addWidget(m_fields.back());
        }
    }
}

bool OptionSection::showOnly(const std::set<std::string>& keys)
{
    bool some = false;
    for (OptionField* field : m_fields) {
        const bool wanted = keys.contains(field->option().key);
        field->setVisible(wanted);
        some = some || wanted;
    }
    setVisible(some);
    return some;
}

QString groupTitle(OptionGroup group)
{
    const auto title = [](const char* text) { return QCoreApplication::translate("OptionGroup", text); };
    switch (group) {
    case OptionGroup::model:
        return title(QT_TRANSLATE_NOOP("OptionGroup", "Model"));
    case OptionGroup::data:
        return title(QT_TRANSLATE_NOOP("OptionGroup", "Data"));
    case OptionGroup::memory:
        return title(QT_TRANSLATE_NOOP("OptionGroup", "Memory and speed"));
    case OptionGroup::optimisation:
        return title(QT_TRANSLATE_NOOP("OptionGroup", "Optimisation"));
    case OptionGroup::output:
        break;
    }
    return title(QT_TRANSLATE_NOOP("OptionGroup", "Output"));
}

std::vector<OptionGroup> optionGroups()
{
    return { OptionGroup::model, OptionGroup::data, OptionGroup::memory, OptionGroup::optimisation,
        OptionGroup::output };
}

} // namespace tunebench
