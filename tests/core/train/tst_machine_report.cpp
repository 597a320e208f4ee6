#include "core/memory/automatic_types.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace tunebench;

/// What is known of a machine: what `auto` becomes there, and the file that keeps it.
class TestMachineReport : public QObject {
    Q_OBJECT

private slots:
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
};

QTEST_APPLESS_MAIN(TestMachineReport)
#include "tst_machine_report.moc"
