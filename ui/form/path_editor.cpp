#include "ui/form/path_editor.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

QString folderOf(const QString& path)
{
    const QFileInfo info(path);
    return path.isEmpty() ? QString() : (info.isDir() ? info.absoluteFilePath() : info.absolutePath());
}

QString emptyText(const Option& option)
{
    if (option.key == "model") {
        return PathEditor::tr("demo model");
    }
    return option.key == "dataset" ? PathEditor::tr("demo dataset") : PathEditor::tr("none");
}

QToolButton* chooserButton(QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setText(QStringLiteral("\u2026"));
    button->setToolTip(PathEditor::tr("Choose"));
    button->setAccessibleName(PathEditor::tr("Choose"));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::TabFocus);
    button->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
    return button;
}

} // namespace

bool isPathOption(const std::string& key)
{
    return key == "model" || key == "adapter" || key == "dataset" || key == "eval_dataset";
}

PathEditor::PathEditor(const Option& option, QWidget* parent)
    : OptionEditor(parent)
    , m_option(option)
    , m_line(new QLineEdit(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    layout->addWidget(m_line, 1);
    m_line->setPlaceholderText(emptyText(option));
    setFocusProxy(m_line);
    connect(m_line, &QLineEdit::textEdited, this, &PathEditor::edited);
    connect(m_line, &QLineEdit::textChanged, m_line, &QLineEdit::setToolTip);

    auto* button = chooserButton(this);
    auto* menu = new QMenu(button);
    menu->addAction(tr("Folder\u2026"), this, [this] {
        choose(
            QFileDialog::getExistingDirectory(this, QString::fromStdString(m_option.label), folderOf(m_line->text())));
    });
    if (option.key == "model") {
        menu->addAction(tr("GGUF file\u2026"), this, [this] {
            choose(QFileDialog::getOpenFileName(this, QString::fromStdString(m_option.label), folderOf(m_line->text()),
                tr("GGUF models (*.gguf);;All files (*)")));
        });
    }
    button->setMenu(menu);
    layout->addWidget(button);
}

nlohmann::json PathEditor::value() const
{
    if (m_option.optional && m_line->text().isEmpty()) {
        return nullptr;
    }
    return m_line->text().toStdString();
}

void PathEditor::setValue(const nlohmann::json& value)
{
    m_line->setText(value.is_null() ? QString() : QString::fromStdString(value.get<std::string>()));
}

void PathEditor::choose(const QString& path)
{
    if (!path.isEmpty()) {
        m_line->setText(path);
        emit edited();
    }
}

PathListEditor::PathListEditor(const Option& option, QWidget* parent)
    : LinesEditor(emptyText(option), parent)
{
    auto* button = chooserButton(this);
    auto* menu = new QMenu(button);
    const QString title = QString::fromStdString(option.label);
    menu->addAction(tr("Files\u2026"), this, [this, title] {
        choose(QFileDialog::getOpenFileNames(this, title, folderOf(texts().value(0)),
            tr("Rows (*.json *.jsonl *.ndjson *.csv *.tsv *.txt *.parquet *.gz *.zst);;All files (*)")));
    });
    menu->addAction(tr("Folder\u2026"), this, [this, title] {
        const QString folder = QFileDialog::getExistingDirectory(this, title, folderOf(texts().value(0)));
        choose(folder.isEmpty() ? QStringList() : QStringList { folder });
    });
    button->setMenu(menu);
    row()->addWidget(button, 0, Qt::AlignTop);
}

void PathListEditor::choose(const QStringList& paths)
{
    if (!paths.isEmpty()) {
        replaceTexts(paths);
    }
}

} // namespace tunebench
