#include "tests/ui/prepared_run.h"
#include "tests/ui/token_rows.h"
#include "tests/ui/ui_test.h"
#include "ui/base/banner.h"
#include "ui/data/cut_warning.h"
#include "ui/data/data_page.h"
#include "ui/form/config_form.h"
#include "ui/form/option_editor.h"
#include "ui/form/option_field.h"
#include "ui/plan/plan_page.h"
#include "ui/plots/loss_plot.h"
#include "ui/runs/runs_model.h"
#include "ui/runs/runs_page.h"
#include "ui/train/log_view.h"
#include "ui/train/number_tile.h"
#include "ui/train/train_page.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>

#include <nlohmann/json.hpp>

using namespace tunebench;

namespace {

/// The whole window over a scripted worker.
struct Session {
    QTemporaryDir folder;
    RunScript script;
    std::unique_ptr<MainWindow> window;

    void open()
    {
        window = std::make_unique<MainWindow>(script.starter(), RunPlanner {}, paths());
        window->show();
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
    }

    WorkbenchPaths paths() const
    {
        const std::filesystem::path root = folder.path().toStdString();
        return { root / "runs", root / "data" / "last_config.json" };
    }

    /// A configuration that may start.
    void chooseFiles()
    {
        const std::filesystem::path root = folder.path().toStdString();
        for (const char* name : { "model.gguf", "rows.jsonl" }) {
            QFile file(QString::fromStdString((root / name).string()));
            if (file.open(QIODevice::WriteOnly)) {
                file.write(R"({"input_ids":[1,2],"labels":[1,2]})"
                           "\n");
            }
        }
        window->config()->edit("model", (root / "model.gguf").string());
        window->config()->edit("dataset", (root / "rows.jsonl").string());
    }

    QAction* action(const QString& text) const
    {
        for (auto* candidate : window->findChildren<QAction*>()) {
            if (candidate->text().remove(QLatin1Char('&')) == text) {
                return candidate;
            }
        }
        return nullptr;
    }

    QString tile(const QString& name) const
    {
        for (const auto* candidate : window->findChildren<NumberTile*>()) {
            if (candidate->findChild<QLabel*>(QStringLiteral("value"))->accessibleName() == name) {
                return candidate->value();
            }
        }
        return {};
    }

    QString banner() const { return window->findChild<Banner*>()->text(); }

    void answer(const QString& text) const
    {
        const auto* box = window->findChild<QMessageBox*>();
        for (auto* button : box->findChildren<QPushButton*>()) {
            if (button->text().remove(QLatin1Char('&')) == text) {
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        }
        QFAIL("no such button");
    }
};

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT
private slots:
    void init() { QSettings().clear(); }
    void aRunFromStartToEnd();
    void aFailureIsABannerAndStartsAgain();
    void startIsBlockedByAWrongOption();
    void closingAsksWhileARunGoesOn();
    void aRunThatEndsTakesTheQuestionBack();
    void theNextSessionLooksTheSame();
    void aDamagedLastConfigIsSaid();
    void opensAConfigFile();
    void usesTheOptionsOfARun();
    void aStoppedRunGoesOn_data();
    void aStoppedRunGoesOn();
    void shortcutsReachPagesAndSearch();
    void theWarningOfCutAnswersLeadsToThem();
    void undoWorksFromWithinAField();
    void themesSwitch();
    void tabGoesThroughTheFormInOrder();
};

void TestMainWindow::aRunFromStartToEnd()
{
    Session session;
    session.open();
    session.chooseFiles();
    QTest::keyClick(session.window.get(), Qt::Key_F5);
    QCOMPARE(session.script.started, 1);
    QCOMPARE(session.script.job.runs, session.paths().runs);
    const auto folder = prepareRun(session.paths().runs, "live", 5, RunState::finished);
    session.script.say(RunState::running, 0, 40, folder);
    session.script.events.emplace_back(LogLine { "The model has 135 M parameters." });
    session.script.events.emplace_back(EvalMetrics { .step = 0, .loss = 2.5, .tokens = 100, .seconds = 1 });
    for (int64_t step = 1; step <= 10; ++step) {
        session.script.events.emplace_back(someStep(step));
    }
    session.script.say(RunState::running, 10, 40, folder);
    QTRY_COMPARE(session.tile(QStringLiteral("Step")), QStringLiteral("10"));
    QCOMPARE(session.tile(QStringLiteral("Evaluation loss")), QStringLiteral("2.5000"));
    QCOMPARE(session.tile(QStringLiteral("Time left")), QStringLiteral("15 s"));
    QCOMPARE(session.tile(QStringLiteral("Peak memory")), QStringLiteral("900\u00a0MiB"));
    QCOMPARE(session.window->trainPage()->findChild<LossPlot*>()->graph(2)->data()->size(), 10);
    QVERIFY(session.window->findChild<LogView*>()->toPlainText().contains(QStringLiteral("135 M parameters")));
    QVERIFY(session.window->windowTitle().contains(QStringLiteral("step 10 of 40")));
    session.script.end(RunState::finished, folder);
    QTRY_VERIFY(session.banner().contains(QStringLiteral("saved as live")));
    QVERIFY(!session.window->bridge()->active());
    QTRY_COMPARE(session.window->runsPage()->model()->rowCount(), 1);
}

void TestMainWindow::aFailureIsABannerAndStartsAgain()
{
    Session session;
    session.open();
    session.chooseFiles();
    session.window->startTraining();
    session.script.fail("model.gguf is cut: 5 of 90 bytes; fetch it again.");
    QTRY_COMPARE(session.banner(), QStringLiteral("model.gguf is cut: 5 of 90 bytes; fetch it again."));
    session.window->startTraining();
    QCOMPARE(session.script.started, 2);
    QCOMPARE(session.banner(), QString());
}

void TestMainWindow::startIsBlockedByAWrongOption()
{
    Session session;
    session.open();
    session.chooseFiles();
    QVERIFY(session.action(QStringLiteral("Start"))->isEnabled());
    session.window->config()->edit("batch_size", "0");
    QVERIFY(!session.action(QStringLiteral("Start"))->isEnabled());
    session.window->startTraining();
    QCOMPARE(session.script.started, 0);
    QVERIFY(session.banner().contains(QStringLiteral("batch_size")));
    session.window->config()->edit("batch_size", "2");
    QVERIFY(session.action(QStringLiteral("Start"))->isEnabled());
}

void TestMainWindow::closingAsksWhileARunGoesOn()
{
    Session session;
    session.open();
    session.chooseFiles();
    session.window->startTraining();
    session.script.say(RunState::running, 1, 10);
    QTRY_COMPARE(session.window->bridge()->phase(), RunPhase::running);
    session.window->close();
    QVERIFY(session.window->isVisible());
    session.answer(QStringLiteral("Keep training"));
    QTRY_VERIFY(session.window->findChild<QMessageBox*>() == nullptr);
    QVERIFY(session.script.calls.empty());
    session.window->close();
    session.answer(QStringLiteral("Stop and close"));
    QCOMPARE(session.script.calls, std::vector<std::string> { "stop" });
    QVERIFY(session.window->isVisible());
    // The run takes its time; the window stays and listens.
    session.script.events.emplace_back(LogLine { "saving" });
    QTRY_VERIFY(session.window->findChild<LogView*>()->toPlainText().contains(QStringLiteral("saving")));
    QVERIFY(session.window->isVisible());
    session.script.end(RunState::stopped);
    QTRY_VERIFY(!session.window->isVisible());
}

void TestMainWindow::aRunThatEndsTakesTheQuestionBack()
{
    Session session;
    session.open();
    session.chooseFiles();
    session.window->startTraining();
    session.window->close();
    QVERIFY(session.window->findChild<QMessageBox*>() != nullptr);
    session.script.end(RunState::finished);
    QTRY_VERIFY(session.window->findChild<QMessageBox*>() == nullptr);
    QVERIFY(session.window->isVisible());
}

void TestMainWindow::theNextSessionLooksTheSame()
{
    Session session;
    session.open();
    session.window->resize(1111, 777);
    session.window->config()->edit("learning_rate", "3e-4");
    session.window->config()->edit("lora_targets", "q_proj,v_proj");
    session.window->close();
    session.open();
    QCOMPARE(session.window->size(), QSize(1111, 777));
    QCOMPARE(session.window->config()->choice().values.learningRate, 3e-4);
    QCOMPARE(session.window->config()->choice().set, (std::set<std::string> { "learning_rate", "lora_targets" }));
    QVERIFY(!session.window->config()->undoStack()->canUndo());
}

void TestMainWindow::aDamagedLastConfigIsSaid()
{
    Session session;
    std::filesystem::create_directories(session.paths().lastConfig.parent_path());
    QFile file(QString::fromStdString(session.paths().lastConfig.string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"batch_size\": 3");
    file.close();
    session.open();
    QCOMPARE(session.window->config()->choice().values.batchSize, 4);
    QVERIFY(!session.banner().isEmpty());
}

void TestMainWindow::opensAConfigFile()
{
    Session session;
    session.open();
    const QString path = session.folder.filePath(QStringLiteral("config.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"batch_size\": 3}");
    file.close();
    QVERIFY(session.window->openConfig(path));
    QCOMPARE(session.window->trainPage()->form()->field("batch_size")->editor()->findChild<QLineEdit*>()->text(),
        QStringLiteral("3"));
    const auto missing = session.window->openConfig(path + QStringLiteral(".none"));
    QVERIFY(!missing && !missing.error().message.empty());
}

void TestMainWindow::usesTheOptionsOfARun()
{
    Session session;
    RunConfig config;
    config.batchSize = 17;
    prepareRun(session.paths().runs, "a", 3, RunState::finished, config);
    session.open();
    QTest::keyClick(session.window.get(), Qt::Key_4, Qt::ControlModifier);
    QTRY_COMPARE(session.window->runsPage()->model()->rowCount(), 1);
    for (auto* button : session.window->runsPage()->findChildren<QPushButton*>()) {
        if (button->text().contains(QStringLiteral("options"))) {
            QTRY_VERIFY(button->isEnabled());
            QTest::mouseClick(button, Qt::LeftButton);
        }
    }
    QCOMPARE(session.window->config()->choice().values.batchSize, 17);
    QVERIFY(session.window->trainPage()->isVisible());
    QVERIFY(session.window->config()->undoStack()->canUndo());
}

void TestMainWindow::aStoppedRunGoesOn_data()
{
    QTest::addColumn<int>("state");
    QTest::addColumn<bool>("goesOn");
    QTest::newRow("stopped") << int(RunState::stopped) << true;
    QTest::newRow("failed") << int(RunState::failed) << true;
    QTest::newRow("interrupted") << int(RunState::running) << true;
    QTest::newRow("finished") << int(RunState::finished) << false;
}

void TestMainWindow::aStoppedRunGoesOn()
{
    QFETCH(int, state);
    QFETCH(bool, goesOn);
    Session session;
    prepareRun(session.paths().runs, "a", 3, static_cast<RunState>(state), {});
    session.open();
    QTest::keyClick(session.window.get(), Qt::Key_4, Qt::ControlModifier);
    QTRY_COMPARE(session.window->runsPage()->model()->rowCount(), 1);
    QPushButton* goOn = nullptr;
    for (auto* button : session.window->runsPage()->findChildren<QPushButton*>()) {
        goOn = button->text().remove(QLatin1Char('&')) == QStringLiteral("Go on") ? button : goOn;
    }
    QVERIFY(goOn != nullptr);
    QTRY_COMPARE(goOn->isVisible(), goesOn);
    if (!goesOn) {
        return;
    }
    QTest::mouseClick(goOn, Qt::LeftButton);
    QCOMPARE(session.script.started, 1);
    QVERIFY(session.script.job.resumes);
    QCOMPARE(session.script.job.name, (session.paths().runs / "a").string());
    QVERIFY(session.window->trainPage()->isVisible());
}

void TestMainWindow::shortcutsReachPagesAndSearch()
{
    Session session;
    session.open();
    QTest::keyClick(session.window.get(), Qt::Key_4, Qt::ControlModifier);
    QVERIFY(session.window->runsPage()->isVisible());
    QTest::keyClick(session.window.get(), Qt::Key_3, Qt::ControlModifier);
    QVERIFY(session.window->planPage()->isVisible());
    QTest::keyClick(session.window.get(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(session.window->trainPage()->isVisible());
    QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("search"));
}

void TestMainWindow::theWarningOfCutAnswersLeadsToThem()
{
    Session session;
    session.open();
    session.chooseFiles();
    writeFile(session.folder.filePath(QStringLiteral("rows.jsonl")), tokenRow(6, 2).repeated(4) + tokenRow(30, 10));
    auto* warning = session.window->findChild<CutWarning*>();
    session.window->config()->edit("max_length", 64);
    QVERIFY(!warning->isVisible());
    session.window->config()->edit("max_length", 24);
    QTRY_VERIFY(warning->isVisible());
    QVERIFY(warning->text().contains(QStringLiteral("1 of 5 answers")));
    warning->setFocus();
    QTest::keyClick(warning, Qt::Key_Tab); // to the link
    if (QApplication::focusWidget() != warning) {
        warning->setFocus(Qt::TabFocusReason);
    }
    QTest::keyClick(warning, Qt::Key_Return);
    QVERIFY(session.window->dataPage()->isVisible());
    QTRY_COMPARE(session.window->dataPage()->findChild<QSpinBox*>()->value(), 5);
}

void TestMainWindow::undoWorksFromWithinAField()
{
    Session session;
    session.open();
    session.window->trainPage()->form()->showField("batch_size");
    auto* line = session.window->trainPage()->form()->field("batch_size")->editor()->findChild<QLineEdit*>();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("12"));
    QCOMPARE(session.window->config()->choice().values.batchSize, 12);
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(session.window->config()->choice().values.batchSize, 4);
    QCOMPARE(line->text(), QStringLiteral("4"));
}

void TestMainWindow::themesSwitch()
{
    Session session;
    session.open();
    const auto background = [&session] {
        QCoreApplication::processEvents();
        auto* plot = session.window->trainPage()->findChild<LossPlot*>();
        plot->replot(QCustomPlot::rpImmediateRefresh);
        return plot->grab().toImage().pixelColor(2, plot->height() - 3).lightness();
    };
    session.action(QStringLiteral("Dark"))->trigger();
    QVERIFY(isDark(QApplication::palette()));
    QVERIFY(background() < 100);
    session.action(QStringLiteral("Light"))->trigger();
    QVERIFY(!isDark(QApplication::palette()));
    QVERIFY(background() > 200);
}

void TestMainWindow::tabGoesThroughTheFormInOrder()
{
    Session session;
    session.open();
    session.window->trainPage()->form()->focusSearch();
    QStringList keys;
    for (int press = 0; press < 300 && keys.size() < static_cast<int>(options().size()); ++press) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        for (const QWidget* widget = QApplication::focusWidget(); widget != nullptr; widget = widget->parentWidget()) {
            const auto* field = qobject_cast<const OptionField*>(widget);
            if (field != nullptr && (keys.isEmpty() || keys.back() != field->objectName())) {
                keys.push_back(field->objectName());
            }
        }
    }
    QStringList expected;
    for (const OptionGroup group : { OptionGroup::model, OptionGroup::data, OptionGroup::memory,
             OptionGroup::optimisation, OptionGroup::output }) {
        for (const Option& option : options()) {
            if (option.group == group) {
                expected.push_back(QString::fromStdString(option.key));
            }
        }
    }
    QCOMPARE(keys, expected);
}

TUNEBENCH_UI_TEST(TestMainWindow)
#include "tst_main_window.moc"
