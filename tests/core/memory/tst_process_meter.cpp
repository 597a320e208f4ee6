#include "core/memory/process_meter.h"

#include <QTest>
#include <vector>

using namespace tunebench;

class TestProcessMeter : public QObject {
    Q_OBJECT

private slots:
    void seesMemoryThatIsTouched();
    void seesProcessorTime();
    void seesTheMachine();
};

void TestProcessMeter::seesMemoryThatIsTouched()
{
    constexpr int64_t size = 256 << 20;
    const ProcessReading before = readProcess();
    QVERIFY(before.resident > 0);
    QVERIFY(before.peakResident >= before.resident);
    ProcessReading during;
    {
        const std::vector<char> block(size, 1);
        during = readProcess();
        QVERIFY(block.back() == 1);
    }
    const int64_t grown = during.resident - before.resident;
    QVERIFY2(grown > size * 9 / 10 && grown < size * 11 / 10, std::to_string(grown).c_str());
    const ProcessReading after = readProcess();
    QVERIFY(after.resident < during.resident - size / 2);
    QVERIFY(after.peakResident >= during.resident - (1 << 20));
}

void TestProcessMeter::seesProcessorTime()
{
    const double before = readProcess().cpuSeconds;
    double after = before;
    while (after < before + 0.01) {
        after = readProcess().cpuSeconds;
    }
    QVERIFY(before > 0 && after < before + 10);
}

void TestProcessMeter::seesTheMachine()
{
    const HostMemory memory = readHostMemory();
    QVERIFY(memory.total > (int64_t { 64 } << 20));
    QVERIFY(memory.available > 0 && memory.available <= memory.total);
}

QTEST_GUILESS_MAIN(TestProcessMeter)
#include "tst_process_meter.moc"
