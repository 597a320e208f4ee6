#include "core/runs/throughput.h"

#include <QTest>

using namespace tunebench;

namespace {

StepMetrics usualStep()
{
    StepMetrics step;
    step.seconds = 2;
    step.dataSeconds = 0.02;
    step.forwardSeconds = 0.6;
    step.backwardSeconds = 1.3;
    step.optimizerSeconds = 0.08;
    step.tokens = step.paddedTokens = 1000;
    step.cpuUtilization = 0.95;
    return step;
}

} // namespace

class TestThroughput : public QObject {
    Q_OBJECT

private slots:
    void sharesAddUp()
    {
        StepMetrics step = usualStep();
        step.recomputeSeconds = 0.5;
        const auto times = stepTimes(std::vector { step, step }).value();
        QCOMPARE(times.seconds, 2.0);
        QCOMPARE(times.forward, 0.3);
        QCOMPARE(times.backward, 0.4);
        QCOMPARE(times.recompute, 0.25);
        QCOMPARE(times.data + times.forward + times.backward + times.recompute + times.optimizer, 1.0);
        QVERIFY(!stepTimes({}));
        QVERIFY(throughputText({}, {}, {}).empty());
        QVERIFY(throughputText(std::vector { step }, {}, {}).find("courtesy") == std::string::npos);
    }

    void pausesAreNamed()
    {
        StepMetrics step = usualStep();
        step.seconds = 2.8;
        step.courtesySeconds = 0.8;
        step.cpuUtilization = 0.95 * 2 / 2.8;
        const std::vector steps { step, step };
        QCOMPARE(stepTimes(steps).value().courtesy, 0.8 / 2.8);
        QVERIFY(throughputText(steps, {}, {}).find("pauses for courtesy 29 %") != std::string::npos);
        const auto advice = throughputAdvice(stepTimes(steps).value(), RunConfig {}, {});
        QCOMPARE(advice.size(), size_t { 1 }); // a device that rests is not one with too little to do
        QVERIFY(advice.front().find("courtesy off") != std::string::npos);
    }

    /// Each cause alone brings its own word, and a run without any brings none.
    void eachCauseIsNamed_data()
    {
        QTest::addColumn<QString>("cause");
        QTest::addColumn<QString>("word");
        QTest::newRow("none") << ""
                              << "";
        QTest::newRow("data") << "data"
                              << "waits for data";
        QTest::newRow("padding") << "padding"
                                 << "padding none";
        QTest::newRow("recompute") << "recompute"
                                   << "gradient_checkpointing";
        QTest::newRow("type") << "type"
                              << "bf16 were measured to be 1.8 times";
        QTest::newRow("idle") << "idle"
                              << "batch_size above 4";
        QTest::newRow("optimizer") << "optimizer"
                                   << "accumulation_steps";
        QTest::newRow("heat") << "heat"
                              << "clock fell by 20 %";
    }

    void eachCauseIsNamed()
    {
        QFETCH(QString, cause);
        QFETCH(QString, word);
        std::vector<StepMetrics> steps(12, usualStep());
        for (size_t i = 0; i < steps.size(); ++i) {
            StepMetrics& step = steps[i];
            step.clockMhz = cause == "heat" && i >= 6 ? 1200 : 1500;
            step.dataSeconds = cause == "data" ? 0.5 : step.dataSeconds;
            step.tokens = cause == "padding" ? 700 : step.tokens;
            step.recomputeSeconds = cause == "recompute" ? 0.4 : 0;
            step.cpuUtilization = cause == "idle" ? 0.4 : 0.95;
            step.optimizerSeconds = cause == "optimizer" ? 0.6 : step.optimizerSeconds;
        }
        const auto faster = cause == "type" ? std::optional(FasterType { "bf16", 1.81 }) : std::nullopt;
        const auto advice = throughputAdvice(stepTimes(steps).value(), RunConfig {}, faster);
        QCOMPARE(advice.size(), size_t(cause.isEmpty() ? 0 : 1));
        if (!advice.empty())
            QVERIFY2(advice.front().find(word.toStdString()) != std::string::npos, advice.front().c_str());
    }
};

QTEST_APPLESS_MAIN(TestThroughput)
#include "tst_throughput.moc"
