#include "core/runs/memory_watch.h"
#include "core/runs/throughput.h"

#include <QTest>
#include <cmath>
#include <functional>
#include <random>

using namespace tunebench;

namespace {

constexpr int64_t mebibyte = 1 << 20;

/// Steps of 2 s with the memory that `bytes(step)` says of tensors and of the process.
std::vector<StepMetrics> steps(
    int count, const std::function<double(int)>& allocated, const std::function<double(int)>& process)
{
    std::vector<StepMetrics> made;
    for (int i = 0; i < count; ++i) {
        StepMetrics& step = made.emplace_back();
        step.step = i + 4;
        step.seconds = 2;
        step.tokens = step.paddedTokens = 1000;
        step.allocated = std::llround(allocated(i));
        step.process = std::llround(process(i));
    }
    return made;
}

double flat(int /*step*/)
{
    return 500.0 * mebibyte;
}

/// The same noise each time: rounded to pages, as a process has it.
double noisy(int step)
{
    std::minstd_rand random(static_cast<unsigned>(step) * 7919U + 1);
    return flat(step) + static_cast<double>(random() % 2000) * 4096;
}

} // namespace

class TestMemoryWatch : public QObject {
    Q_OBJECT

private slots:
    void climbIsFound_data()
    {
        using Course = std::function<double(int)>;
        QTest::addColumn<Course>("allocated");
        QTest::addColumn<Course>("process");
        QTest::addColumn<int>("slope"); // bytes a step; 0: no climb
        QTest::addColumn<bool>("ofTensors");
        const auto row = [](const char* name, Course allocated, Course process, int slope, bool ofTensors = false) {
            QTest::newRow(name) << std::move(allocated) << std::move(process) << slope << ofTensors;
        };
        row("flat", flat, flat, 0);
        row("noisy process", flat, noisy, 0);
        row(
            "one rise", flat, [](int i) { return flat(i) + (i > 70 ? 200.0 * mebibyte : 0); }, 0);
        row(
            "two rises", flat, [](int i) { return flat(i) + (i > 60) * 90.0 * mebibyte + (i > 140) * 90.0 * mebibyte; },
            0);
        row(
            "up and down", flat, [](int i) { return flat(i) + std::sin(i / 10.0) * 50 * mebibyte; }, 0);
        row(
            "a heap that fills up", flat, [](int i) { return flat(i) + 300.0 * mebibyte * (1 - std::exp(-i / 25.0)); },
            0);
        row(
            "falls", flat, [](int i) { return flat(i) - i * 300'000.0; }, 0);
        row(
            "longer rows now and then", [](int i) { return flat(i) + (i % 9 == 0) * 3.0 * mebibyte; }, noisy, 0);
        row(
            "process climbs", flat, [](int i) { return noisy(i) + i * 300'000.0; }, 300'000);
        row(
            "process climbs slowly in noise", flat, [](int i) { return noisy(i) + i * 3000.0; }, 0);
        row(
            "tensors are kept", [](int i) { return flat(i) + i * 64.0; }, noisy, 64, true);
        row(
            "every fourth step keeps one", [](int i) { return flat(i) + i / 4 * 4096.0; }, flat, 1024, true);
        row(
            "both climb", [](int i) { return flat(i) + i * 100'000.0; }, [](int i) { return noisy(i) + i * 100'000.0; },
            100'000, true);
    }

    void climbIsFound()
    {
        using Course = std::function<double(int)>;
        QFETCH(Course, allocated);
        QFETCH(Course, process);
        QFETCH(int, slope);
        QFETCH(bool, ofTensors);
        const auto climb = memoryClimb(steps(200, allocated, process));
        QCOMPARE(climb.has_value(), slope > 0);
        if (!climb)
            return;
        QCOMPARE(climb->allocated, ofTensors);
        QVERIFY2(std::abs(static_cast<double>(climb->bytesPerStep) - slope) <= 0.05 * slope,
            qPrintable(QString::number(climb->bytesPerStep)));
        QVERIFY(
            memoryClimbText(*climb).find(std::to_string(climb->bytesPerStep) + " bytes a step") != std::string::npos);
    }

    void fewStepsTellNothing()
    {
        QVERIFY(!memoryClimb({}));
        QVERIFY(!memoryClimb(steps(
            40, [](int i) { return i * 1e6; }, flat)));
        auto unknown = steps(200, flat, flat);
        for (StepMetrics& step : unknown)
            step.process.reset();
        QVERIFY(!memoryClimb(unknown));
    }

    void spillIsFound_data()
    {
        QTest::addColumn<int>("rise"); // MiB of shared memory from step 100 on
        QTest::addColumn<int>("base"); // MiB of it before
        QTest::addColumn<int>("dedicated"); // MiB at the end; 3,900 are full
        QTest::addColumn<double>("slower"); // times
        QTest::addColumn<int>("since"); // 0: no spill
        // As a 4 GB card behaves under Windows: 70 to 150 MiB are shared whatever runs.
        QTest::newRow("never") << 0 << 110 << 3500 << 1.0 << 0;
        QTest::newRow("full, and fits") << 0 << 110 << 3900 << 1.0 << 0;
        QTest::newRow("spills") << 700 << 110 << 3900 << 4.0 << 104;
        QTest::newRow("spills a little") << 90 << 90 << 3900 << 1.5 << 104;
        QTest::newRow("shared rises, no slower") << 700 << 110 << 3900 << 1.05 << 0;
        QTest::newRow("shared rises, room on the card") << 700 << 110 << 2000 << 4.0 << 0;
        QTest::newRow("slower for another reason") << 0 << 110 << 3900 << 4.0 << 0;
        QTest::newRow("from the start") << 0 << 1500 << 3900 << 1.0 << 4;
    }

    void spillIsFound()
    {
        QFETCH(int, rise);
        QFETCH(int, base);
        QFETCH(int, dedicated);
        QFETCH(double, slower);
        QFETCH(int, since);
        auto made = steps(200, flat, flat);
        for (size_t i = 0; i < made.size(); ++i) {
            const bool late = i >= 100;
            made[i].deviceUsed = (late ? dedicated : 3895 + static_cast<int>(i % 3)) * mebibyte;
            made[i].deviceShared = (base + static_cast<int>(i % 5) + (late ? rise : 0)) * mebibyte;
            made[i].seconds = (late ? slower : 1) * (2 + 0.05 * static_cast<double>(i % 4));
        }
        const auto spill = memorySpill(made);
        QCOMPARE(spill.has_value(), since > 0);
        const bool said = throughputText(made, {}, {}).find("computer's memory") != std::string::npos;
        QCOMPARE(said, since > 0);
        if (!spill)
            return;
        QCOMPARE(spill->step, static_cast<int64_t>(since));
        QVERIFY(spill->shared >= (base + rise) * mebibyte);
        QVERIFY(std::abs(spill->slowdown - slower) < 0.1);
    }

    /// Linux tells no shared memory.
    void nothingIsSaidWithoutSharedMemory()
    {
        auto made = steps(200, flat, flat);
        for (StepMetrics& step : made)
            step.deviceUsed = 3900 * mebibyte;
        QVERIFY(!memorySpill(made));
        QVERIFY(!memorySpill({}));
    }
};

QTEST_APPLESS_MAIN(TestMemoryWatch)
#include "tst_memory_watch.moc"
