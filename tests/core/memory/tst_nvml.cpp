#include "core/memory/nvml.h"

#include <QTemporaryFile>
#include <QTest>

using namespace tunebench;

class TestNvml : public QObject {
    Q_OBJECT

private slots:
    void withoutDriver_data();
    void withoutDriver();
    void tellsEverything();
    void tellsLittle();
    void tellsOfProcesses();
    void noSuchDevice();
};

void TestNvml::withoutDriver_data()
{
    QTest::addColumn<QString>("library");
    QTest::newRow("missing") << "libno-such-driver.so.1";
    QTest::newRow("empty") << "/no/such/folder/lib.so";
    QTest::newRow("another library") << "libm.so.6";
}

void TestNvml::withoutDriver()
{
    QFETCH(QString, library);
    const Nvml nvml(library.toStdString());
    QCOMPARE(nvml.deviceCount(), 0);
    QVERIFY(!nvml.driverVersion());
    QVERIFY(!nvml.read(0));

    qputenv("FAKE_NVML_MODE", "broken");
    const Nvml broken(FAKE_NVML);
    qunsetenv("FAKE_NVML_MODE");
    QCOMPARE(broken.deviceCount(), 0);
    QVERIFY(!broken.driverVersion());
    QVERIFY(!broken.read(0));
}

void TestNvml::tellsEverything()
{
    const Nvml nvml(FAKE_NVML);
    QCOMPARE(nvml.deviceCount(), 2);
    QCOMPARE(nvml.driverVersion(), std::optional<std::string>("999.1"));
    const auto reading = nvml.read(0);
    QVERIFY(reading.has_value());
    QCOMPARE(reading->name, std::string("Fake GTX 1650"));
    QCOMPARE(reading->total, std::optional<int64_t>(4LL << 30));
    QCOMPARE(reading->used, std::optional<int64_t>(1LL << 30));
    QCOMPARE(reading->usedByThisProcess, std::optional<int64_t>(123456789));
    QCOMPARE(reading->utilization, std::optional(0.87));
    QCOMPARE(reading->powerWatts, std::optional(61.5));
    QCOMPARE(reading->temperature, std::optional(64.0));
    QCOMPARE(reading->clockMhz, std::optional(1665.0));
}

void TestNvml::tellsLittle()
{
    Nvml nvml = Nvml("libno-such-driver.so.1");
    nvml = Nvml(FAKE_NVML);
    const auto reading = nvml.read(1);
    QVERIFY(reading.has_value());
    QCOMPARE(reading->name.size(), size_t { 96 });
    QCOMPARE(reading->used, std::optional<int64_t>(1LL << 30));
    QVERIFY(!reading->usedByThisProcess && !reading->utilization && !reading->powerWatts && !reading->temperature
        && !reading->clockMhz);
}

void TestNvml::tellsOfProcesses()
{
    const Nvml nvml(FAKE_NVML);
    const auto processes = nvml.processes(0);
    QCOMPARE(processes.size(), size_t { 51 }); // 50 compute, one draws only
    QCOMPARE(processes.front().process, int64_t { 1 });
    QCOMPARE(processes.front().bytes, int64_t { 100 });
    QCOMPARE(processes.back().process, int64_t { 777 });
    QCOMPARE(processes.back().bytes, int64_t { 500 });
    QVERIFY(nvml.processes(1).empty());
}

void TestNvml::noSuchDevice()
{
    const Nvml nvml(FAKE_NVML);
    QVERIFY(nvml.processes(2).empty() && nvml.processes(-1).empty());
    QVERIFY(!nvml.read(-1));
    QVERIFY(!nvml.read(2));
}

QTEST_GUILESS_MAIN(TestNvml)
#include "tst_nvml.moc"
