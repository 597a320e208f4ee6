#include "core/base/files.h"
#include "core/config/options.h"
#include "core/memory/device_report.h"
#include "core/memory/memory_ledger.h"
#include "core/train/explain_failure.h"
#include "core/train/loss_scaler.h"
#include "core/train/schedule.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tunebench;

Q_DECLARE_METATYPE(nlohmann::json)

/// The plain arithmetic around the step: schedules, loss scale, ledger, the choice of types, and words for failures.
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

    void ledgerCountsByCategory()
    {
        MemoryLedger ledger;
        QCOMPARE(MemoryLedger::rounded(1), int64_t { 64 });
        QCOMPARE(MemoryLedger::rounded(128), int64_t { 128 });
        QVERIFY(ledger.add(640, MemoryCategory::weights));
        QVERIFY(ledger.add(128, MemoryCategory::temporary));
        ledger.subtract(128, MemoryCategory::temporary);
        QCOMPARE(ledger.allocated(), int64_t { 640 });
        QCOMPARE(ledger.peak(), int64_t { 768 });
        QCOMPARE(ledger.breakdownAtPeak()[static_cast<size_t>(MemoryCategory::temporary)], int64_t { 128 });
        ledger.setLimit(700);
        QVERIFY(!ledger.add(64, MemoryCategory::weights));
        QCOMPARE(ledger.allocated(), int64_t { 640 });
        ledger.resetPeak();
        QCOMPARE(ledger.peak(), int64_t { 640 });
    }

    void automaticTypes_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QList<double>>("gflops"); // fp32, fp16, bf16; 0: cannot
        QTest::addColumn<bool>("bf16Right");
        QTest::addColumn<QString>("precision");
        QTest::addColumn<QString>("compute");
        using Speeds = QList<double>;
        QTest::newRow("processor with bf16") << "cpu" << Speeds { 100, 20, 180 } << true << "bf16"
                                             << "bf16";
        QTest::newRow("processor without") << "cpu" << Speeds { 100, 20, 40 } << true << "fp32"
                                           << "fp32";
        QTest::newRow("GTX 1650") << "cuda:0" << Speeds { 2000, 160, 800 } << true << "fp16"
                                  << "fp32";
        QTest::newRow("tensor cores, no bf16") << "cuda:0" << Speeds { 4000, 20000, 900 } << true << "fp16"
                                               << "fp16";
        QTest::newRow("newer card") << "cuda:0" << Speeds { 15000, 60000, 61000 } << true << "bf16"
                                    << "bf16";
        QTest::newRow("bf16 wrong") << "cpu" << Speeds { 100, 20, 180 } << false << "fp32"
                                    << "fp32";
        QTest::newRow("no bf16 at all") << "cuda:0" << Speeds { 4000, 9000, 0 } << false << "fp16"
                                        << "fp16";
    }

    void automaticTypes()
    {
        QFETCH(QString, device);
        QFETCH(QList<double>, gflops);
        QFETCH(bool, bf16Right);
        QFETCH(QString, precision);
        QFETCH(QString, compute);
        DeviceMeasurement measured { .device = device.toStdString() };
        const NumberType types[] { NumberType::fp32, NumberType::fp16, NumberType::bf16 };
        for (int i = 0; i < 3; ++i) {
            TypeMeasurement type { .type = types[i], .passesSelfTest = i < 2 || bf16Right };
            if (gflops[i] > 0)
                type.gflops = gflops[i];
            measured.types.push_back(type);
        }
        chooseByMeasurement(measured);
        const MachineReport report { .libtorch = "2.11.0", .driver = "", .devices = { measured } };
        const auto json = reportToJson(report);
        QCOMPARE(QString::fromStdString(json.at("devices")[0].at("auto").at("precision")), precision);
        QCOMPARE(QString::fromStdString(json.at("devices")[0].at("auto").at("compute")), compute);
        const auto again = reportFromJson(json.dump());
        QVERIFY(again.has_value());
        QCOMPARE(reportToJson(*again).dump(), json.dump());
    }

    void damagedReportIsNone_data()
    {
        QTest::addColumn<QByteArray>("text");
        const MachineReport report { .libtorch = "2.11.0", .driver = "", .devices = { { .device = "cpu" } } };
        const QByteArray whole = QByteArray::fromStdString(reportToJson(report).dump());
        QVERIFY(reportFromJson(whole.toStdString()).has_value());
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("torn") << whole.left(whole.size() / 2);
        QTest::newRow("other kind") << QByteArray("[1,2]");
        QTest::newRow("unknown type") << QByteArray(whole).replace("fp32", "fp8");
    }

    void damagedReportIsNone()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!reportFromJson(text.toStdString()).has_value());
    }

    void notFiniteIsExplained()
    {
        RunConfig config;
        config.compute = NumberType::fp16;
        config.maxGradNorm = 0;
        StepMetrics metrics;
        metrics.step = 12;
        const std::string text = explainNotFinite(metrics, config, "the loss of micro-batch 1");
        for (const char* part : { "step 12", "learning_rate", "bf16", "max_grad_norm" })
            QVERIFY2(text.find(part) != std::string::npos, part);
    }
};

QTEST_APPLESS_MAIN(TestSchedule)
#include "tst_schedule.moc"
