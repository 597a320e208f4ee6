#include "core/memory/process_meter.h"

#include "core/base/files.h"

#include <QTemporaryDir>
#include <QTest>
#include <unistd.h>
#include <vector>

using namespace tunebench;

class TestProcessMeter : public QObject {
    Q_OBJECT

private slots:
    void seesMemoryThatIsTouched();
    void seesProcessorTime();
    void seesTheMachine();
    void seesOtherPrograms();
    void damagedFiguresOfProgramsAreLeftOut();
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
    resetPeakResident();
    QVERIFY(readProcess().peakResident < during.resident - size / 2);
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

namespace {

/// A folder that looks like /proc.
class MadeProc {
public:
    void add(const std::string& process, const std::string& name, const std::string& status) const
    {
        std::filesystem::create_directories(path() / process);
        QVERIFY(writeFileAtomically(path() / process / "comm", name + "\n"));
        QVERIFY(writeFileAtomically(path() / process / "status", status));
    }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

} // namespace

void TestProcessMeter::seesOtherPrograms()
{
    const MadeProc proc;
    proc.add("100", "browser", "Name:\tbrowser\nVmRSS:\t 9000 kB\nRssAnon:\t    3000 kB\n");
    proc.add("101", "browser", "Name:\tbrowser\nRssAnon:\t    1000 kB\n");
    proc.add("102", "editor", "RssAnon:\t    3500 kB\n");
    proc.add("103", "clock", "RssAnon:\t    1 kB\n");
    proc.add(std::to_string(::getpid()), "this one", "RssAnon:\t 99999 kB\n");
    proc.add("self", "no number", "RssAnon:\t 99999 kB\n");
    const auto programs = otherPrograms(2, proc.path());
    QCOMPARE(programs.size(), size_t { 2 });
    QCOMPARE(programs[0].name, std::string("browser"));
    QCOMPARE(programs[0].processes, 2);
    QCOMPARE(programs[0].bytes, int64_t { 4000 * 1024 });
    QCOMPARE(programs[1].name, std::string("editor"));
    QCOMPARE(processName(102, proc.path()), std::string("editor"));
    QCOMPARE(processName(55, proc.path()), std::string());
}

void TestProcessMeter::damagedFiguresOfProgramsAreLeftOut()
{
    const MadeProc proc;
    proc.add("1", "kernel thread", "Name:\tkthreadd\n");
    proc.add("2", "no number", "RssAnon:\t kB\n");
    std::filesystem::create_directories(proc.path() / "3"); // ended meanwhile
    QVERIFY(otherPrograms(5, proc.path()).empty());
    QVERIFY(otherPrograms(5, proc.path() / "gone").empty());
}

QTEST_GUILESS_MAIN(TestProcessMeter)
#include "tst_process_meter.moc"
