#pragma once

#include "ui/form/config_model.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QScrollArea;
class QTabBar;

namespace tunebench {

class OptionField;
class OptionHelp;
class OptionSection;

/// All options in one page of sections, with a tab for each section and a search box.
class ConfigForm : public QWidget {
    Q_OBJECT
public:
    explicit ConfigForm(ConfigModel& model, QWidget* parent = nullptr);

    OptionField* field(const std::string& key) const;
    void focusSearch();

    /// Brings a field into view and gives it the focus.
    void showField(const std::string& key);

private:
    QWidget* makeSections(ConfigModel& model);
    void search(const QString& words);
    void showSection(int index);
    void followScrolling(int position);
    void showHelpFor(const QWidget* widget);

    QLineEdit* m_search;
    QTabBar* m_tabs;
    QScrollArea* m_scroll;
    QLabel* m_nothing;
    OptionHelp* m_help;
    std::vector<OptionSection*> m_sections;
};

} // namespace tunebench
