#include "core/base/files.h"
#include "core/config/options.h"
#include "core/train/loss_scaler.h"
#include "core/train/schedule.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tunebench;

Q_DECLARE_METATYPE(nlohmann::json)

/// The plain arithmetic around the step: schedules and the loss scale.
class TestSchedule : public QObject {
    Q_OBJECT

private slots:
    void matchesTransformers_data()
    {
        QTest::addColumn<nlohmann::json>("right");
        const auto text = readFile(std::string(TUNEBENCH_TEST_DATA) + "/train/schedules.json").value();
        for (const auto& right : nlohmann::json::parse(text)) {
            QTest::addRow("%s %d steps, %d warm-up", right.at("scheduler").get<std::string>().c_str(),
                right.at("total").get<int>(), right.at("warmup").get<int>())
                << right;
        }
    }

    void matchesTransformers()
    {
        QFETCH(nlohmann::json, right);
        RunConfig config;
        QVERIFY(setOption(config, "scheduler", right.at("scheduler")).has_value());
        config.learningRate = 1;
        config.warmupSteps = right.at("warmup");
        config.warmupRatio = 0;
        config.schedulerCycles = 3;
        config.schedulerPower = 2;
        config.learningRateEnd = 0.125;
        int64_t step = 0;
        for (const double factor : right.at("factors"))
            QVERIFY(std::abs(learningRateAt(config, step++, right.at("total")) - factor) < 1e-12);
    }

    void warmupCounts_data()
    {
        QTest::addColumn<qlonglong>("steps");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<qlonglong>("total");
        QTest::addColumn<qlonglong>("warmup");
        QTest::newRow("ratio, rounded up") << 0LL << 0.03 << 100LL << 3LL;
        QTest::newRow("ratio of few steps") << 0LL << 0.03 << 5LL << 1LL;
        QTest::newRow("steps win") << 7LL << 0.5 << 100LL << 7LL;
        QTest::newRow("none") << 0LL << 0.0 << 100LL << 0LL;
    }

    void warmupCounts()
    {
        QFETCH(qlonglong, steps);
        QFETCH(double, ratio);
        QFETCH(qlonglong, total);
        QFETCH(qlonglong, warmup);
        RunConfig config;
        config.warmupSteps = steps;
        config.warmupRatio = ratio;
        QCOMPARE(warmupSteps(config, total), warmup);
    }

    void lossScaleFollowsOverflows()
    {
        LossScaler scaler(true, 1024);
        QVERIFY(!scaler.accept(std::numeric_limits<double>::infinity()));
        QCOMPARE(scaler.scale(), 512.0);
        QVERIFY(!scaler.accept(std::numeric_limits<double>::quiet_NaN()));
        QCOMPARE(scaler.scale(), 256.0);
        for (int i = 0; i < 2000; ++i)
            QVERIFY(scaler.accept(1));
        QCOMPARE(scaler.scale(), 512.0);
        LossScaler unused(false, 1024);
        QVERIFY(unused.accept(std::numeric_limits<double>::infinity()));
        QCOMPARE(unused.scale(), 1.0);
    }
};

QTEST_APPLESS_MAIN(TestSchedule)
#include "tst_schedule.moc"
