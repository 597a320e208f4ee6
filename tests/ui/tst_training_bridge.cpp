#include "tests/ui/scripted_run.h"
#include "tests/ui/ui_test.h"
#include "ui/train/run_buttons.h"

#include <QAction>
#include <QSignalSpy>
#include <QToolButton>

using namespace tunebench;

namespace {

/// The bridge with its buttons over a scripted worker.
struct Bench {
    RunScript script;
    TrainingBridge bridge { script.starter() };
    RunActions actions { bridge, nullptr };
    RunButtons controls { actions, nullptr };

    Bench()
    {
        QObject::connect(&actions, &RunActions::startRequested, &bridge, [this] { bridge.start({}); });
        controls.show();
    }

    void click(QAction* action)
    {
        for (auto* button : controls.findChildren<QToolButton*>()) {
            if (button->defaultAction() == action) {
                QTest::mouseClick(button, Qt::LeftButton);
            }
        }
    }

    QString enabled() const
    {
        QStringList texts;
        for (const QAction* action : { actions.start(), actions.pause(), actions.stop() }) {
            if (action->isEnabled()) {
                texts.push_back(action->text().remove(QLatin1Char('&')));
            }
        }
        return texts.join(QLatin1Char(' '));
    }
};

} // namespace

class TestTrainingBridge : public QObject {
    Q_OBJECT
private slots:
    void startsOnlyOnce();
    void followsPauseAndResume();
    void resumesBeforeThePauseIsReached();
    void stopsAndStartsAgain();
    void resetsAfterFailure();
    void resetsWhenTheRunCannotStart();
    void aBlockerForbidsTheStart();
    void handsOnEventsInOrder();
    void deliversTheLastWordsOfAFinishedRun();
};

void TestTrainingBridge::startsOnlyOnce()
{
    Bench bench;
    QCOMPARE(bench.enabled(), QStringLiteral("Start"));
    bench.click(bench.actions.start());
    QCOMPARE(bench.bridge.phase(), RunPhase::starting);
    bench.click(bench.actions.start());
    bench.bridge.start({});
    QCOMPARE(bench.script.started, 1);
    QCOMPARE(bench.enabled(), QStringLiteral("Pause Stop"));
}

void TestTrainingBridge::followsPauseAndResume()
{
    Bench bench;
    bench.click(bench.actions.start());
    bench.script.say(RunState::running);
    QTRY_COMPARE(bench.bridge.phase(), RunPhase::running);
    bench.click(bench.actions.pause());
    QCOMPARE(bench.bridge.phase(), RunPhase::pausing);
    QCOMPARE(bench.script.calls, std::vector<std::string> { "pause" });
    // Steps that were under way still arrive and change nothing.
    bench.script.say(RunState::running, 3, 10);
    QTRY_COMPARE(bench.bridge.summary().step, 3);
    QCOMPARE(bench.bridge.phase(), RunPhase::pausing);
    bench.script.say(RunState::paused);
    QTRY_COMPARE(bench.bridge.phase(), RunPhase::paused);
    QCOMPARE(bench.enabled(), QStringLiteral("Resume Stop"));
    bench.click(bench.actions.pause());
    QCOMPARE(bench.script.calls.back(), std::string("resume"));
    bench.script.say(RunState::running);
    QTRY_COMPARE(bench.bridge.phase(), RunPhase::running);
    QCOMPARE(bench.enabled(), QStringLiteral("Pause Stop"));
}

void TestTrainingBridge::resumesBeforeThePauseIsReached()
{
    Bench bench;
    bench.click(bench.actions.start());
    bench.script.say(RunState::running);
    QTRY_COMPARE(bench.bridge.phase(), RunPhase::running);
    bench.click(bench.actions.pause());
    bench.click(bench.actions.pause());
    QCOMPARE(bench.script.calls, (std::vector<std::string> { "pause", "resume" }));
    bench.script.say(RunState::running);
    QTRY_COMPARE(bench.bridge.phase(), RunPhase::running);
}

void TestTrainingBridge::stopsAndStartsAgain()
{
    Bench bench;
    QSignalSpy ends(&bench.bridge, &TrainingBridge::ended);
    bench.click(bench.actions.start());
    bench.script.say(RunState::running);
    bench.click(bench.actions.stop());
    QCOMPARE(bench.enabled(), QString());
    bench.script.end(RunState::stopped, "runs/a");
    QTRY_COMPARE(ends.count(), 1);
    QCOMPARE(bench.bridge.phase(), RunPhase::idle);
    const auto end = ends.front().front().value<RunEnd>();
    QCOMPARE(end.state, RunState::stopped);
    QCOMPARE(end.run, std::filesystem::path("runs/a"));
    QCOMPARE(bench.enabled(), QStringLiteral("Start"));
    bench.click(bench.actions.start());
    QCOMPARE(bench.script.started, 2);
    QCOMPARE(bench.bridge.summary().step, 0);
}

void TestTrainingBridge::resetsAfterFailure()
{
    Bench bench;
    QSignalSpy ends(&bench.bridge, &TrainingBridge::ended);
    bench.click(bench.actions.start());
    bench.script.fail("The model folder is empty.");
    QTRY_COMPARE(ends.count(), 1);
    const auto end = ends.front().front().value<RunEnd>();
    QCOMPARE(end.state, RunState::failed);
    QCOMPARE(end.message, QStringLiteral("The model folder is empty."));
    QCOMPARE(bench.enabled(), QStringLiteral("Start"));
}

void TestTrainingBridge::resetsWhenTheRunCannotStart()
{
    TrainingBridge bridge(
        [](const TrainingJob&) -> std::unique_ptr<TrainingRun> { throw std::runtime_error("no thread"); });
    QSignalSpy ends(&bridge, &TrainingBridge::ended);
    bridge.start({});
    QCOMPARE(ends.count(), 1);
    QVERIFY(ends.front().front().value<RunEnd>().message.contains(QStringLiteral("no thread")));
    QVERIFY(!bridge.active());
}

void TestTrainingBridge::aBlockerForbidsTheStart()
{
    Bench bench;
    bench.actions.setBlocker(QStringLiteral("batch_size must be at least 1."));
    QCOMPARE(bench.enabled(), QString());
    QCOMPARE(bench.actions.start()->toolTip(), QStringLiteral("batch_size must be at least 1."));
    bench.actions.setBlocker({});
    QCOMPARE(bench.enabled(), QStringLiteral("Start"));
}

void TestTrainingBridge::handsOnEventsInOrder()
{
    Bench bench;
    QStringList seen;
    connect(&bench.bridge, &TrainingBridge::stepsDone, this,
        [&seen](const std::vector<StepMetrics>& steps) { seen << QStringLiteral("%1 steps").arg(steps.size()); });
    connect(&bench.bridge, &TrainingBridge::evaluated, this,
        [&seen](const EvalMetrics& evaluation) { seen << QStringLiteral("eval %1").arg(evaluation.step); });
    connect(&bench.bridge, &TrainingBridge::answered, this,
        [&seen](const AnswerMetrics& answer) { seen << QString::fromStdString(answer.text); });
    connect(&bench.bridge, &TrainingBridge::logged, this,
        [&seen](const LogLine& line) { seen << QString::fromStdString(line.text); });
    bench.click(bench.actions.start());
    bench.script.events = { LogLine { "begin" }, EvalMetrics {}, someStep(1), someStep(2),
        AnswerMetrics { .text = "yes" }, EvalMetrics { 2 }, someStep(3) };
    QTRY_COMPARE(seen.size(), 6);
    QCOMPARE(seen, (QStringList { "begin", "eval 0", "2 steps", "yes", "eval 2", "1 steps" }));
}

void TestTrainingBridge::deliversTheLastWordsOfAFinishedRun()
{
    Bench bench;
    QSignalSpy lines(&bench.bridge, &TrainingBridge::logged);
    QSignalSpy ends(&bench.bridge, &TrainingBridge::ended);
    bench.click(bench.actions.start());
    bench.script.events.emplace_back(LogLine { "saved" });
    bench.script.end(RunState::finished, "runs/a");
    QTRY_COMPARE(ends.count(), 1);
    QCOMPARE(lines.count(), 1);
}

TUNEBENCH_UI_TEST(TestTrainingBridge)
#include "tst_training_bridge.moc"
