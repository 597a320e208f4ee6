#include "ui/form/config_form.h"

#include "ui/form/option_editor.h"
#include "ui/form/option_field.h"
#include "ui/form/option_help.h"
#include "ui/form/option_section.h"

#include <QApplication>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>

namespace tunebench {

ConfigForm::ConfigForm(ConfigModel& model, QWidget* parent)
    : QWidget(parent)
    , m_search(new QLineEdit(this))
    , m_tabs(new QTabBar(this))
    , m_scroll(new QScrollArea(this))
    , m_nothing(new QLabel(tr("No option matches."), this))
    , m_help(new OptionHelp(this))
{
    m_search->setPlaceholderText(tr("Find an option, also by its Hugging Face name"));
    m_search->setClearButtonEnabled(true);
    m_search->setObjectName(QStringLiteral("search"));
    m_tabs->setDocumentMode(true);
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->setUsesScrollButtons(true);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->hide();
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(makeSections(model));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    layout->addWidget(m_search);
    layout->addWidget(m_tabs);
    layout->addWidget(m_nothing);
    layout->addWidget(m_scroll, 1);
    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    layout->addWidget(line);
    layout->addWidget(m_help);

    connect(m_search, &QLineEdit::textChanged, this, &ConfigForm::search);
    connect(m_tabs, &QTabBar::tabBarClicked, this, &ConfigForm::showSection);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        if (m_tabs->hasFocus()) {
            showSection(index);
        }
    });
    connect(m_scroll->verticalScrollBar(), &QScrollBar::valueChanged, this, &ConfigForm::followScrolling);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { showHelpFor(now); });
}

QWidget* ConfigForm::makeSections(ConfigModel& model)
{
    auto* page = new QWidget(m_scroll);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(2, 6, 8, 0);
    layout->setSpacing(4);
    int labelWidth = 0;
    for (const OptionGroup group : optionGroups()) {
        m_sections.push_back(new OptionSection(group, model, page));
        layout->addWidget(m_sections.back());
        m_tabs->addTab(groupTitle(group));
        for (const OptionField* field : m_sections.back()->fields()) {
            labelWidth = std::max(labelWidth, field->labelWidth());
        }
    }
    layout->addStretch(1);
    const int most = page->fontMetrics().averageCharWidth() * 24;
    for (const OptionSection* section : m_sections) {
        for (OptionField* field : section->fields()) {
            field->setLabelWidth(std::min(labelWidth, most));
        }
    }
    return page;
}

OptionField* ConfigForm::field(const std::string& key) const
{
    for (const OptionSection* section : m_sections) {
        for (OptionField* field : section->fields()) {
            if (field->option().key == key) {
                return field;
            }
        }
    }
    return nullptr;
}

void ConfigForm::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void ConfigForm::showField(const std::string& key)
{
    if (OptionField* found = field(key)) {
        m_search->clear();
        m_scroll->ensureWidgetVisible(found);
        found->editor()->setFocus(Qt::OtherFocusReason);
    }
}

void ConfigForm::search(const QString& words)
{
    std::set<std::string> keys;
    if (words.trimmed().isEmpty()) {
        for (const Option& option : options()) {
            keys.insert(option.key);
        }
    } else {
        const auto found = searchOptions(words.toStdString());
        keys.insert(found.begin(), found.end());
    }
    for (size_t index = 0; index < m_sections.size(); ++index) {
        m_tabs->setTabEnabled(static_cast<int>(index), m_sections[index]->showOnly(keys));
    }
    m_nothing->setVisible(keys.empty());
    m_scroll->setVisible(!keys.empty());
}

void ConfigForm::showSection(int index)
{
    if (index >= 0) {
        m_scroll->widget()->layout()->activate();
        m_scroll->verticalScrollBar()->setValue(m_sections[static_cast<size_t>(index)]->y());
        m_tabs->setCurrentIndex(index);
    }
}

void ConfigForm::followScrolling(int position)
{
    const bool atEnd = position == m_scroll->verticalScrollBar()->maximum();
    int current = 0;
    for (size_t index = 0; index < m_sections.size(); ++index) {
        const OptionSection* section = m_sections[index];
        if (section->isVisible() && (section->y() <= position + 8 || (atEnd && m_tabs->hasFocus()))) {
            current = static_cast<int>(index);
        }
    }
    const QSignalBlocker blocker(m_tabs);
    m_tabs->setCurrentIndex(current);
}

void ConfigForm::showHelpFor(const QWidget* widget)
{
    for (; widget != nullptr && widget != this; widget = widget->parentWidget()) {
        if (const auto* field = qobject_cast<const OptionField*>(widget)) {
            m_help->showOption(field->option());
            m_scroll->ensureWidgetVisible(const_cast<OptionField*>(field), 0, 8);
            return;
        }
    }
}

} // namespace tunebench
