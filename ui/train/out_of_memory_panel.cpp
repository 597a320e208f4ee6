#include "ui/train/out_of_memory_panel.h"

#include "ui/form/config_model.h"
#include "ui/train/apply_remedy.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace tunebench {

OutOfMemoryPanel::OutOfMemoryPanel(ConfigModel& model, QWidget* parent)
    : QFrame(parent)
    , m_model(model)
{
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("Out of memory"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    hide();
}

void OutOfMemoryPanel::show(const OutOfMemoryReport& report)
{
    clear();
    m_content = new QWidget(this);
    m_grid = new QGridLayout(m_content);
    m_grid->setContentsMargins({});
    m_grid->setColumnStretch(1, 1);
    for (const auto& [name, text] : outOfMemoryFacts(report)) {
        addFact(QString::fromStdString(name), QString::fromStdString(text));
    }
    for (const Remedy& remedy : report.remedies) {
        addRemedy(remedy);
    }
    layout()->addWidget(m_content);
    setVisible(true);
}

void OutOfMemoryPanel::clear()
{
    hide();
    delete m_content;
    m_content = nullptr;
}

void OutOfMemoryPanel::addFact(const QString& name, const QString& text)
{
    const int row = m_grid->rowCount();
    auto* label = new QLabel(text, m_content);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_grid->addWidget(new QLabel(name, m_content), row, 0, Qt::AlignTop);
    m_grid->addWidget(label, row, 1);
}

void OutOfMemoryPanel::addRemedy(const Remedy& remedy)
{
    const int row = m_grid->rowCount();
    auto* apply = new QPushButton(tr("Apply"), m_content);
    apply->setAccessibleName(tr("Apply %1").arg(QString::fromStdString(remedy.text())));
    auto* label = new QLabel(QString::fromStdString(remedyLine(remedy)), m_content);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    m_grid->addWidget(apply, row, 0);
    m_grid->addWidget(label, row, 1);
    connect(apply, &QPushButton::clicked, this, [this, remedy] { applyRemedy(m_model, remedy); });
}

} // namespace tunebench
