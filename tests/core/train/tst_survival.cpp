#include "core/train/checkpoint.h"
#include "tests/core/train/faulty_disk.h"
#include "tests/core/train/trainer_test.h"

#include <QRegularExpression>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

using namespace tunebench;
using namespace tunebench::test;
namespace fs = std::filesystem;

namespace {

/// What time() says is later than the truth by so much, seconds.
std::atomic<std::time_t> clockOffset = 0; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

bool says(const Record& record, const std::string& part)
{
    return std::ranges::any_of(
        record.lines, [&](const LogLine& line) { return line.text.find(part) != std::string::npos; });
}

} // namespace

/// Stands in front of the C library's.
extern "C" std::time_t time(std::time_t* result) noexcept
{
    timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::time_t told = now.tv_sec + clockOffset;
    if (result)
        *result = told;
    return told;
}

/// What happens to a run's disk, folder and clock while it goes on: nothing that was saved is lost, the message says
/// what to do, and the run ends as if nothing had happened once the cause is gone.
class TestSurvival : public TrainerTest {
    Q_OBJECT

    static std::vector<std::string> options()
    {
        return { "max_steps=2", "save_every=1", "eval_share=0.3", "eval_every=2", "keep_checkpoints=1", "order=shuffle",
            "lora_dropout=0.1" };
    }

    /// The run that nothing happened to.
    const Record& whole()
    {
        static const Record record = run(job(options(), "whole"));
        return record;
    }

    static QByteArray adapterOf(const fs::path& run)
    {
        const auto bytes = readFile(run / "adapter" / "adapter_model.safetensors");
        return bytes ? QByteArray::fromStdString(*bytes) : QByteArray("none");
    }

    void endsAsWhole(const Record& record)
    {
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        QVERIFY(findRun(runs(), record.outcome->filename().string())->summary.state == RunState::finished);
        QVERIFY(adapterOf(*record.outcome) == adapterOf(*whole().outcome));
        const auto right = readCurves(*whole().outcome).value();
        const auto curves = readCurves(*record.outcome).value();
        QCOMPARE(curves.steps.size(), right.steps.size());
        for (size_t i = 0; i < right.steps.size(); ++i)
            QCOMPARE(curves.steps[i].loss, right.steps[i].loss);
        QCOMPARE(curves.evaluations.size(), right.evaluations.size());
        for (size_t i = 0; i < right.evaluations.size(); ++i)
            QCOMPARE(curves.evaluations[i].loss, right.evaluations[i].loss);
    }

    /// Nothing in the folder is half there. One that could neither be filled nor removed again is as if it never began.
    void isWhole(const fs::path& run)
    {
        if (!fs::exists(run / "config.json")) {
            QVERIFY(this->run(rest(run.filename().string())).outcome.error().message.find("start it again")
                != std::string::npos);
            fs::remove_all(run);
            return;
        }
        const auto lines = readFile(run / "metrics.jsonl").value_or("");
        QVERIFY(lines.empty() || lines.back() == '\n');
        for (const QByteArray& line : QByteArray::fromStdString(lines).split('\n'))
            QVERIFY2(line.isEmpty() || metricsFromJson(line.toStdString()), line);
        if (const auto summary = readFile(run / "summary.json"))
            QVERIFY(summaryFromJson(*summary).has_value());
        QVERIFY(readRunConfig(run).has_value());
    }

    /// The run failed in words, or a failure that costs nothing was passed over.
    void saysWhy(const Record& broken, const std::string& reason, const std::string& remedy)
    {
        if (broken.outcome)
            return;
        const std::string& message = broken.outcome.error().message;
        QVERIFY2(message.find(reason) != std::string::npos, message.c_str());
        QVERIFY2(message.find(remedy) != std::string::npos, message.c_str());
    }

    /// Stops a run that has just begun where it asks first whether it may go on, however busy the machine is.
    static void hold(Trainer& trainer, Record& record)
    {
        trainer.pause();
        follow(trainer, record,
            [](const Record& r) { return !r.states.empty() && r.states.back().summary.state == RunState::paused; });
    }

    /// Resumes a run, or begins it where there was no room for its folder.
    Record goOn(const std::string& name)
    {
        if (!fs::exists(runs() / name))
            return run(job(options(), name));
        const auto saved = checkpointSteps(runs() / name);
        Record record = run(rest(name));
        if (!saved.empty() && !says(record, "after step " + std::to_string(saved.front())) && !says(record, "finished"))
            qWarning("the newest checkpoint was not the one that the run went on from");
        if (says(record, "passed over"))
            record.outcome = failure("a checkpoint was damaged");
        return record;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(whole().outcome.has_value());
        const FaultyDisk counting(runs(), 0, INT_MAX);
        QVERIFY(run(job(options(), "counted")).outcome.has_value());
        QVERIFY(FaultyDisk::calls() > 40);
    }

    void diskFailsAtAnyCall_data()
    {
        QTest::addColumn<int>("error");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("remedy");
        QTest::addColumn<int>("stride");
        QTest::newRow("full") << ENOSPC << "the disk is full"
                              << "free some space" << 7;
        QTest::newRow("read-only") << EROFS << "the disk is read-only"
                                   << "make it writable" << 17;
        QTest::newRow("broken") << EIO << "does not answer"
                                << "check it" << 23;
        QTest::newRow("no permission") << EACCES << "no permission"
                                       << "permission" << 23;
    }

    void diskFailsAtAnyCall()
    {
        QFETCH(int, error);
        QFETCH(QString, reason);
        QFETCH(QString, remedy);
        QFETCH(int, stride);
        const std::string tag = QTest::currentDataTag();
        bool reached = true;
        for (int failing = 0; reached; failing += stride) {
            const std::string name = tag + " " + std::to_string(failing);
            Record broken;
            {
                const FaultyDisk disk(runs(), error, failing);
                broken = run(job(options(), name));
                reached = FaultyDisk::calls() > failing;
            }
            saysWhy(broken, reason.toStdString(), remedy.toStdString());
            if (fs::exists(runs() / name))
                isWhole(runs() / name);
            endsAsWhole(goOn(name));
            if (QTest::currentTestFailed()) {
                qWarning("at call %d", failing);
                return;
            }
        }
    }

    /// The last word of a run on a full disk: its reserve makes room for it.
    void fullDiskIsTold()
    {
        {
            const FaultyDisk disk(runs(), ENOSPC, 40);
            QVERIFY(!run(job(options(), "told")).outcome.has_value());
        }
        const auto summary = findRun(runs(), "told")->summary;
        QVERIFY(summary.state == RunState::failed);
        QVERIFY2(summary.reason.find("resume the run") != std::string::npos, summary.reason.c_str());
    }

    void folderIsTakenAway_data()
    {
        QTest::addColumn<bool>("comesBack");
        QTest::newRow("moved, and put back") << true;
        QTest::newRow("removed") << false;
    }

    void folderIsTakenAway()
    {
        QFETCH(bool, comesBack);
        const std::string name = comesBack ? "moved" : "removed";
        Record record;
        {
            Trainer trainer(job(options(), name));
            hold(trainer, record);
            comesBack ? fs::rename(runs() / name, path("elsewhere")) : static_cast<void>(fs::remove_all(runs() / name));
            trainer.resume();
            trainer.wait();
            record.outcome = trainer.outcome();
        }
        QVERIFY(!record.outcome.has_value());
        QVERIFY2(record.outcome.error().message.find("put it back") != std::string::npos,
            record.outcome.error().message.c_str());
        QVERIFY(!fs::exists(runs() / name)); // nothing is made where somebody has cleared away
        if (comesBack)
            fs::rename(path("elsewhere"), runs() / name);
        endsAsWhole(goOn(name));
    }

    void folderIsReplacedByAFile()
    {
        Record record;
        {
            Trainer trainer(job(options(), "file"));
            hold(trainer, record);
            fs::rename(runs() / "file", path("aside"));
            QVERIFY(writeFileAtomically(runs() / "file", "mine").has_value());
            trainer.resume();
            trainer.wait();
            record.outcome = trainer.outcome();
        }
        QVERIFY(!record.outcome.has_value());
        QVERIFY(readFile(runs() / "file").value() == "mine");
        fs::remove(runs() / "file");
        fs::rename(path("aside"), runs() / "file");
        endsAsWhole(goOn("file"));
    }

    void heldRunIsLeftAlone()
    {
        Trainer trainer(job(options(), "held"));
        Record record;
        hold(trainer, record);
        for (const Record& second : { run(rest("held")), run(job(options(), "held")) })
            QVERIFY(!second.outcome.has_value());
        QVERIFY(!deleteRun(runs() / "held").has_value());
        trainer.resume();
        trainer.wait();
        record.outcome = trainer.outcome();
        endsAsWhole(record);
    }

    /// The time of day is a name and a note; no duration comes from it.
    void clockGoesBackwards()
    {
        constexpr std::time_t day = 86400;
        std::string name;
        {
            Trainer trainer(job(options()));
            Record record;
            hold(trainer, record);
            clockOffset = -400 * day;
            trainer.stop();
            trainer.wait();
            name = trainer.outcome()->filename().string();
        }
        clockOffset = -800 * day;
        const Record second = goOn(name);
        clockOffset = 0;
        endsAsWhole(second);
        const RunSummary& summary = second.states.back().summary;
        QVERIFY(summary.seconds > 0 && summary.seconds < 60);
        QVERIFY(std::ranges::all_of(second.steps, [](const StepMetrics& step) { return step.seconds >= 0; }));
        // Two runs of the same minute, told by a clock that went back to it.
        const Record third = run(job(options()));
        QVERIFY(third.outcome.has_value());
        QVERIFY(third.outcome->filename() != name);
        QVERIFY(findRun(runs(), name)->summary.state == RunState::finished);
    }
};

QTEST_GUILESS_MAIN(TestSurvival)
#include "tst_survival.moc"
