#include "core/train/courtesy.h"
#include "tests/core/train/trainer_test.h"

#include <QDir>
#include <algorithm>
#include <numeric>
#include <sys/resource.h>

using namespace tunebench;

/// The option courtesy: pauses and priority, and that no number of the run changes.
class TestCourtesy : public TrainerTest {
    Q_OBJECT

    /// Nice values of this process's threads, sorted.
    static std::vector<int> niceValues()
    {
        std::vector<int> values;
        for (const QString& thread : QDir("/proc/self/task").entryList(QDir::NoDotAndDotDot | QDir::Dirs))
            values.push_back(getpriority(PRIO_PROCESS, thread.toUInt()));
        std::ranges::sort(values);
        return values;
    }

private slots:
    void pausesAreAShareOfTheWork()
    {
        double now = 100;
        std::vector<double> waits;
        CourtesyPauses pauses(
            0.4,
            [&](double seconds) {
                waits.push_back(seconds);
                now += seconds / 2; // somebody wanted it to end
            },
            [&] { return now; });
        now += 10; // of nobody's work
        pauses.begin();
        now += 2;
        pauses.pause();
        now += 1;
        pauses.pause();
        QCOMPARE(waits, (std::vector<double> { 0.4 * 2, 0.4 * 1 }));
        QCOMPARE(pauses.seconds(), 0.6);
        CourtesyPauses none(
            0, [](double) { QFAIL("nobody asked for a pause"); }, [&] { return now; });
        none.pause();
        QCOMPARE(none.seconds(), 0.0);
    }

    /// A day long, were it not for those who end it.
    void waitEndsWhenAsked()
    {
        constexpr double day = 86400;
        int asked = 0;
        waitFor(day, {}, [&] { return ++asked == 3; });
        QCOMPARE(asked, 3);
        std::stop_source source;
        waitFor(day, source.get_token(), [&] { return source.request_stop(), false; });
        QVERIFY(source.stop_requested());
    }

    void numbersStayAndPausesAreCounted_data()
    {
        QTest::addColumn<QString>("courtesy");
        QTest::addColumn<double>("share");
        QTest::newRow("low") << "low" << 0.1;
        QTest::newRow("high") << "high" << 0.4;
    }

    void numbersStayAndPausesAreCounted()
    {
        QFETCH(QString, courtesy);
        QFETCH(double, share);
        const std::vector<std::string> usual { "lora_dropout=0.1", "eval_share=0.3", "eval_every=2", "epochs=2" };
        auto polite = usual;
        polite.push_back("courtesy=" + courtesy.toStdString());
        const Record without = run(job(usual));
        const Record with = run(job(polite));
        QVERIFY2(with.outcome.has_value(), with.outcome ? "" : with.outcome.error().message.c_str());
        QCOMPARE(with.steps.size(), without.steps.size());
        for (size_t i = 0; i < with.steps.size(); ++i) {
            const StepMetrics& step = with.steps[i];
            QCOMPARE(step.loss, without.steps[i].loss);
            QCOMPARE(step.gradNorm, without.steps[i].gradNorm);
            QCOMPARE(without.steps[i].courtesySeconds, 0.0);
            const double work = step.forwardSeconds + step.backwardSeconds + step.optimizerSeconds;
            QVERIFY(step.courtesySeconds >= share * work * 0.999); // a wait is never shorter than asked for
            QVERIFY(step.seconds >= work + step.courtesySeconds);
        }
        for (size_t i = 0; i < with.evaluations.size(); ++i)
            QCOMPARE(with.evaluations[i].loss, without.evaluations[i].loss);
        const std::string weights = "/adapter/adapter_model.safetensors";
        QVERIFY(readFile(with.outcome->string() + weights).value()
            == readFile(without.outcome->string() + weights).value());
        QVERIFY(with.states.back().summary.throughput.find("pauses for courtesy") != std::string::npos);
    }

    /// The training's threads, LibTorch's workers among them, let others go first; no thread does so afterwards.
    void priorityIsTheTrainingsAlone()
    {
        const std::vector<int> before = niceValues();
        std::vector<int> during;
        {
            Trainer trainer(job({ "courtesy=low", "epochs=1000", "threads=2" }));
            Record record;
            follow(trainer, record, [](const Record& r) { return !r.steps.empty(); });
            during = niceValues();
        }
        const int niceness = courtesyRule(Courtesy::low).niceness;
        const int usual = getpriority(PRIO_PROCESS, 0);
        const auto lowered = std::ranges::count(during, std::min(usual + niceness, 19));
        QVERIFY2(lowered >= 2, qPrintable(QString::number(lowered)));
        QTRY_COMPARE(niceValues(), std::vector<int>(before.size(), usual)); // workers end a moment after their run
    }

    void stopAndPauseDoNotWaitForIt()
    {
        Trainer trainer(job({ "courtesy=high", "epochs=1000" }));
        Record record;
        follow(trainer, record, [](const Record& r) { return !r.steps.empty(); });
        trainer.pause();
        follow(trainer, record, [](const Record& r) { return r.states.back().summary.state == RunState::paused; });
        QVERIFY(record.states.back().summary.state == RunState::paused);
        trainer.stop();
        trainer.wait();
        QVERIFY(trainer.outcome().has_value());
    }
};

QTEST_GUILESS_MAIN(TestCourtesy)
#include "tst_courtesy.moc"
