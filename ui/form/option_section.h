#pragma once

#include "core/config/options.h"

#include <QWidget>

#include <set>

namespace tunebench {

class ConfigModel;
class OptionField;

/// The options of one group under a heading.
class OptionSection : public QWidget {
    Q_OBJECT
public:
    OptionSection(OptionGroup group, ConfigModel& model, QWidget* parent);

    const std::vector<OptionField*>& fields() const { return m_fields; }

    /// Hides the other fields, and itself when none is left. True when some are left.
    bool showOnly(const std::set<std::string>& keys);

private:
    std::vector<OptionField*> m_fields;
};

QString groupTitle(OptionGroup group);

/// The groups in the order of the form.
std::vector<OptionGroup> optionGroups();

} // namespace tunebench
