#include "ui/data/data_page.h"
#include "ui/form/config_form.h"
#include "ui/plan/plan_page.h"
#include "ui/runs/runs_page.h"
#include "ui/train/run_buttons.h"
#include "ui/train/train_page.h"
#include "ui/window/main_window.h"
#include "ui/window/settings.h"

#include <QActionGroup>
#include <QApplication>
#include <QDesktopServices>
#include <QMenuBar>
#include <QMessageBox>
#include <QUrl>

namespace tunebench {

void MainWindow::makeFileMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    menu->addAction(tr("&Open configuration\u2026"), QKeySequence::Open, this, &MainWindow::chooseConfig);
    menu->addAction(tr("&Save configuration as\u2026"), QKeySequence::SaveAs, this, &MainWindow::saveConfigAs);
    menu->addSeparator();
    menu->addAction(tr("Open folder of &runs"), this,
        [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(m_paths.runs.string()))); });
    menu->addSeparator();
    menu->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::makeEditMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = m_config->undoStack()->createUndoAction(this, tr("&Undo"));
    undo->setShortcuts(QKeySequence::Undo);
    QAction* redo = m_config->undoStack()->createRedoAction(this, tr("&Redo"));
    redo->setShortcuts(QKeySequence::Redo);
    menu->addActions({ undo, redo });
    menu->addSeparator();
    menu->addAction(tr("&Find an option"), QKeySequence::Find, this, [this] {
        showPage(m_trainPage);
        m_trainPage->form()->focusSearch();
    });
    menu->addAction(tr("Reset &all options"), m_config, &ConfigModel::resetAll);
}

void MainWindow::makeRunMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Run"));
    menu->addActions({ m_actions->start(), m_actions->pause(), m_actions->stop() });
}

void MainWindow::makeViewMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    menu->addAction(tr("&Train"), QKeySequence(Qt::CTRL | Qt::Key_1), this, [this] { showPage(m_trainPage); });
    menu->addAction(tr("&Data"), QKeySequence(Qt::CTRL | Qt::Key_2), this, [this] { showPage(m_dataPage); });
    menu->addAction(tr("&Plan"), QKeySequence(Qt::CTRL | Qt::Key_3), this, [this] { showPage(m_planPage); });
    menu->addAction(tr("&Runs"), QKeySequence(Qt::CTRL | Qt::Key_4), this, [this] { showPage(m_runsPage); });
    menu->addSeparator();
    QMenu* themes = menu->addMenu(tr("T&heme"));
    auto* group = new QActionGroup(this);
    const std::vector<std::pair<Theme, QString>> choices { { Theme::system, tr("&System") },
        { Theme::light, tr("&Light") }, { Theme::dark, tr("&Dark") } };
    for (const auto& [theme, text] : choices) {
        QAction* action = themes->addAction(text, this, [theme = theme] {
            storeTheme(theme);
            applyTheme(theme);
        });
        action->setCheckable(true);
        action->setChecked(theme == storedTheme());
        group->addAction(action);
    }
}

void MainWindow::makeHelpMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    menu->addAction(tr("&About Tunebench"), this, [this] {
        QMessageBox::about(this, tr("About Tunebench"),
            tr("<p><b>Tunebench %1</b></p><p>Fine-tunes small language models on your own machine.</p>"
               "<p>Free software under the GNU General Public License, version 3 or later.</p>")
                .arg(QApplication::applicationVersion()));
    });
    menu->addAction(tr("About &Qt"), qApp, &QApplication::aboutQt);
}

} // namespace tunebench
