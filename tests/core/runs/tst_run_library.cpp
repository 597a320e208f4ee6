#include "core/config/options.h"
#include "core/runs/run_library.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tunebench;

class TestRunLibrary : public QObject {
    Q_OBJECT

private slots:
    void init();
    void missingFolderIsEmpty();
    void newestFirst();
    void statesFollowTheLock_data();
    void statesFollowTheLock();
    void damagedFoldersAreListed();
    void findsByNameAndPath();
    void curvesTolerateDamage();
    void lastLineOfAStepWins();
    void lastAnswerToAPromptWins();
    void manyLines();
    void deletes();

private:
    std::filesystem::path root() const { return m_runs->path().toStdString(); }
    std::filesystem::path makeRun(const std::string& name, RunState state, const std::string& startedAt = "")
    {
        auto folder = RunFolder::create(root(), name, {});
        RunSummary summary;
        summary.state = state;
        summary.startedAt = startedAt;
        return folder && folder->writeSummary(summary) ? folder->path() : std::filesystem::path();
    }
    static bool write(const std::filesystem::path& path, const QByteArray& bytes)
    {
        QFile file(QString::fromStdString(path.string()));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    }

    std::unique_ptr<QTemporaryDir> m_runs;
};

void TestRunLibrary::init()
{
    m_runs = std::make_unique<QTemporaryDir>();
}

void TestRunLibrary::missingFolderIsEmpty()
{
    QVERIFY(listRuns(root() / "none").empty());
    QVERIFY(write(root() / "file", "x"));
    QVERIFY(listRuns(root() / "file").empty());
    QVERIFY(listRuns(root()).empty());
}

void TestRunLibrary::newestFirst()
{
    makeRun("b", RunState::finished, "2026-01-02T00:00:00Z");
    makeRun("a", RunState::finished, "2026-01-03T00:00:00Z");
    makeRun("c", RunState::finished, "2026-01-01T00:00:00Z");
    QDir().mkdir(m_runs->filePath(".hidden"));
    std::string names;
    for (const RunRecord& record : listRuns(root())) {
        names += record.name;
        QVERIFY(record.problem.empty());
        QVERIFY(!record.model.empty());
    }
    QCOMPARE(names, std::string("abc"));
}

void TestRunLibrary::statesFollowTheLock_data()
{
    QTest::addColumn<RunState>("written");
    QTest::addColumn<bool>("locked");
    QTest::addColumn<RunState>("shown");
    QTest::newRow("running") << RunState::running << true << RunState::running;
    QTest::newRow("paused") << RunState::paused << true << RunState::paused;
    QTest::newRow("died running") << RunState::running << false << RunState::interrupted;
    QTest::newRow("died paused") << RunState::paused << false << RunState::interrupted;
    QTest::newRow("finished") << RunState::finished << false << RunState::finished;
    QTest::newRow("stopped") << RunState::stopped << false << RunState::stopped;
    QTest::newRow("failed") << RunState::failed << false << RunState::failed;
}

void TestRunLibrary::statesFollowTheLock()
{
    QFETCH(RunState, written);
    QFETCH(bool, locked);
    QFETCH(RunState, shown);
    auto folder = std::make_unique<RunFolder>(*RunFolder::create(root(), "run", {}));
    RunSummary summary;
    summary.state = written;
    QVERIFY(folder->writeSummary(summary).has_value());
    if (!locked) {
        folder.reset();
    }
    const auto records = listRuns(root());
    QCOMPARE(records.size(), size_t { 1 });
    QCOMPARE(records.front().summary.state, shown);
    QCOMPARE(findRun(root(), "run")->summary.state, shown);
}

void TestRunLibrary::damagedFoldersAreListed()
{
    makeRun("fine", RunState::finished, "2026-01-02T00:00:00Z");
    QVERIFY(write(makeRun("cut summary", RunState::finished) / "summary.json", "{\"state\": \"fini"));
    QVERIFY(write(makeRun("bad config", RunState::finished) / "config.json", "{\"batch_size\": -1}"));
    QVERIFY(std::filesystem::remove(makeRun("no config", RunState::finished) / "config.json"));
    QDir().mkdir(m_runs->filePath("empty"));
    const auto records = listRuns(root());
    QCOMPARE(records.size(), size_t { 5 });
    for (const RunRecord& record : records) {
        QCOMPARE(record.problem.empty(), record.name == "fine");
    }
}

void TestRunLibrary::findsByNameAndPath()
{
    const auto path = makeRun("run", RunState::finished);
    QCOMPARE(findRun(root(), "run")->path, path);
    QCOMPARE(findRun("/no/such/folder", path.string())->name, std::string("run"));
    QCOMPARE(findRun("/no/such/folder", path.string() + "/")->name, std::string("run"));
    for (const char* name : { "other", "", ".", "..", "../run", "/no/such/run" }) {
        QVERIFY2(!findRun(root(), name).has_value(), name);
    }
}

void TestRunLibrary::curvesTolerateDamage()
{
    const auto path = makeRun("run", RunState::finished);
    QVERIFY(readCurves(path)->steps.empty());
    QByteArray lines = R"({"type":"step","step":1,"loss":2.5}
not json

{"type":"other","step":9}
{"type":"eval","step":0,"loss":3,"tokens":5}
{"type":"step","step":2,"loss":null,"note":"the loss is not a number"}
{"type":"step","step":3,"lo)";
    QVERIFY(write(path / "metrics.jsonl", lines));
    const auto curves = readCurves(path);
    QVERIFY(curves.has_value());
    QCOMPARE(curves->steps.size(), size_t { 2 });
    QCOMPARE(curves->evaluations.size(), size_t { 1 });
    QVERIFY(!curves->steps.at(1).loss);
    QVERIFY(std::filesystem::remove(path / "metrics.jsonl"));
    QVERIFY(!readCurves(path).has_value());
}

void TestRunLibrary::lastLineOfAStepWins()
{
    const auto path = makeRun("run", RunState::finished);
    QByteArray lines;
    for (const int step : { 1, 2, 3, 4, 3, 4, 5 }) {
        lines += "{\"type\":\"step\",\"step\":" + QByteArray::number(step)
            + ",\"loss\":" + QByteArray::number(lines.size()) + "}\n";
    }
    QVERIFY(write(path / "metrics.jsonl", lines));
    const auto curves = readCurves(path);
    QCOMPARE(curves->steps.size(), size_t { 5 });
    for (size_t i = 0; i < 5; ++i) {
        QCOMPARE(curves->steps[i].step, static_cast<int64_t>(i) + 1);
    }
    QVERIFY(*curves->steps[2].loss > *curves->steps[1].loss + 50);
}

void TestRunLibrary::lastAnswerToAPromptWins()
{
    const auto run = makeRun("a", RunState::finished);
    const auto line = [](int64_t step, const char* prompt, const char* text) {
        AnswerMetrics answer;
        answer.step = step;
        answer.prompt = prompt;
        answer.text = text;
        return QByteArray::fromStdString(metricsToJson(answer).dump()) + '\n';
    };
    const QByteArray torn = R"({"type":"answer","st)";
    const QByteArray lines = line(0, "b", "1") + line(0, "a", "2") + line(5, "b", "3") + line(5, "a", "4")
        + line(9, "b", "5") + line(5, "b", "6") + line(5, "a", "7") + torn;
    QVERIFY(write(run / "metrics.jsonl", lines));
    std::string all;
    const auto curves = readCurves(run);
    for (const AnswerMetrics& answer : curves->answers) {
        all += std::to_string(answer.step) + answer.prompt + answer.text + ' ';
    }
    QCOMPARE(all, std::string("0b1 0a2 5b6 5a7 9b5 "));
}

void TestRunLibrary::manyLines()
{
    bool wanted = false;
    const int count = qEnvironmentVariableIntValue("TUNEBENCH_METRICS_LINES", &wanted);
    const int lines = wanted ? count : 2000;
    const auto path = makeRun("run", RunState::finished);
    QFile file(QString::fromStdString((path / "metrics.jsonl").string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (int i = 1; i <= lines; ++i) {
        StepMetrics step;
        step.step = i;
        step.loss = 1.0 / i;
        step.gradNorm = 0.123456789 * i;
        step.seconds = 1.23456789;
        step.tokens = 1255;
        step.peakAllocated = 1234567890;
        file.write(QByteArray::fromStdString(metricsToJson(step).dump()) + '\n');
    }
    file.close();
    const auto curves = readCurves(path);
    QCOMPARE(curves->steps.size(), static_cast<size_t>(lines));
    QCOMPARE(curves->steps.back().loss, std::optional(1.0 / lines));
    if (wanted) {
        QBENCHMARK_ONCE
        {
            (void)readCurves(path);
        }
    }
}

void TestRunLibrary::deletes()
{
    const auto path = makeRun("run", RunState::finished);
    QVERIFY(deleteRun(path.string() + "/").has_value());
    QVERIFY(!std::filesystem::exists(path));
    QCOMPARE(QDir(m_runs->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(), 0);

    auto going = RunFolder::create(root(), "going", {});
    QVERIFY(!deleteRun(going->path()).has_value());
    QVERIFY(std::filesystem::exists(going->path() / "config.json"));
    QVERIFY(!deleteRun(root()).has_value());
    QVERIFY(!deleteRun(root() / "none").has_value());
    QVERIFY(std::filesystem::exists(root()));
}

QTEST_GUILESS_MAIN(TestRunLibrary)
#include "tst_run_library.moc"
