#include "core/base/files.h"
#include "core/config/options.h"
#include "core/runs/run_library.h"

#include <QFile>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <sys/mount.h>
#include <sys/resource.h>

using namespace tunebench;

namespace {

QByteArray contentOf(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

StepMetrics stepWithLoss(int64_t number, double loss)
{
    StepMetrics step;
    step.step = number;
    step.loss = loss;
    return step;
}

} // namespace

class TestRunFolder : public QObject {
    Q_OBJECT

private slots:
    void refusesNames_data();
    void refusesNames();
    void acceptsNames_data();
    void acceptsNames();
    void existingNameIsRefused();
    void automaticNames_data();
    void automaticNames();
    void holdsWhatWasWritten();
    void summaryReadsBack();
    void damagedSummaries_data();
    void damagedSummaries();
    void fullDiskLeavesNoTornLine();
    void fullDiskKeepsTheLastWord();
    void unwritableFolder();
};

void TestRunFolder::refusesNames_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("slash") << "a/b";
    QTest::newRow("up") << "..";
    QTest::newRow("out") << "../out";
    QTest::newRow("absolute") << "/elsewhere/run";
    QTest::newRow("backslash") << "a\\b";
    QTest::newRow("hidden") << ".run";
    QTest::newRow("space") << " ";
    QTest::newRow("ends with a space") << "run ";
    QTest::newRow("new line") << "a\nb";
    QTest::newRow("long") << QString(101, 'a');
}

void TestRunFolder::refusesNames()
{
    QFETCH(QString, name);
    QTemporaryDir runs;
    const auto folder = RunFolder::create(runs.path().toStdString(), name.toStdString(), {});
    QVERIFY(!folder.has_value());
    QCOMPARE(folder.error().fault, Fault::input);
    QVERIFY(listRuns(runs.path().toStdString()).empty());
}

void TestRunFolder::acceptsNames_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("plain") << "first-run";
    QTest::newRow("spaces inside") << "first run 2";
    QTest::newRow("Korean") << QString::fromUtf8("첫 실행");
    QTest::newRow("long") << QString(100, 'a');
}

void TestRunFolder::acceptsNames()
{
    QFETCH(QString, name);
    QTemporaryDir runs;
    const auto folder = RunFolder::create((runs.path() + "/made/on the way").toStdString(), name.toStdString(), {});
    QVERIFY(folder.has_value());
    QCOMPARE(QString::fromStdString(folder->path().filename().string()), name);
}

void TestRunFolder::existingNameIsRefused()
{
    QTemporaryDir runs;
    const std::filesystem::path path = runs.path().toStdString();
    {
        const auto first = RunFolder::create(path, "run", {});
    }
    const QByteArray before = contentOf(path / "run" / "config.json");
    RunConfig other;
    other.batchSize = 99;
    const auto second = RunFolder::create(path, "run", other);
    QVERIFY(!second.has_value());
    QVERIFY(second.error().message.find("already") != std::string::npos);
    QCOMPARE(contentOf(path / "run" / "config.json"), before);
}

void TestRunFolder::automaticNames_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("slug");
    QTest::newRow("folder") << "/models/SmolLM2-135M-Instruct"
                            << "smollm2-135m-instruct";
    QTest::newRow("folder with slash") << "/models/SmolLM2-135M-Instruct/"
                                       << "smollm2-135m-instruct";
    QTest::newRow("gguf") << "/models/SmolLM2-135M-Instruct.Q4_1.gguf"
                          << "smollm2-135m-instruct.q4_1";
    QTest::newRow("spaces") << "/models/my model (new)"
                            << "my-model--new-";
    QTest::newRow("no letters") << "/models/---"
                                << "model";
    QTest::newRow("root") << "/"
                          << "model";
}

void TestRunFolder::automaticNames()
{
    QFETCH(QString, model);
    QFETCH(QString, slug);
    QTemporaryDir runs;
    RunConfig config;
    config.model = model.toStdString();
    const QRegularExpression pattern("^\\d{4}-\\d\\d-\\d\\d-\\d{4}-" + QRegularExpression::escape(slug) + "(-\\d)?$");
    std::set<std::string> names;
    for (int i = 0; i < 3; ++i) {
        const auto folder = RunFolder::create(runs.path().toStdString(), "", config);
        QVERIFY(folder.has_value());
        const std::string name = folder->path().filename().string();
        QVERIFY2(pattern.match(QString::fromStdString(name)).hasMatch(), name.c_str());
        names.insert(name);
    }
    QCOMPARE(names.size(), size_t { 3 });
}

void TestRunFolder::holdsWhatWasWritten()
{
    QTemporaryDir runs;
    RunConfig config;
    config.batchSize = 7;
    auto folder = RunFolder::create(runs.path().toStdString(), "run", config);
    QVERIFY(folder.has_value());
    QCOMPARE(readRunConfig(folder->path())->batchSize, 7);
    QVERIFY(QString::fromStdString(readRunConfig(folder->path())->model).startsWith('/'));
    config.compute = NumberType::bf16;
    QVERIFY(folder->writeConfig(config).has_value());
    QCOMPARE(readRunConfig(folder->path())->compute, NumberType::bf16);
    QVERIFY(folder->writeEnvironment({ { "libtorch", "2.11.0" }, { "bad", "\xff" } }).has_value());
    QVERIFY(contentOf(folder->path() / "environment.json").contains("2.11.0"));
    QVERIFY(folder->append(stepWithLoss(1, 2.5)).has_value());
    QVERIFY(folder->append(EvalMetrics { .step = 1, .loss = 2.25, .tokens = 10, .seconds = 0.5 }).has_value());
    const QByteArray lines = contentOf(folder->path() / "metrics.jsonl");
    QCOMPARE(lines.count('\n'), 2);
    QVERIFY(lines.endsWith('\n'));
    QCOMPARE(readCurves(folder->path())->steps.front().loss, std::optional(2.5));
    const RunFolder moved = std::move(*folder);
    QVERIFY(!contentOf(moved.path() / "summary.json").isEmpty());
}

void TestRunFolder::summaryReadsBack()
{
    RunSummary summary;
    summary.state = RunState::failed;
    summary.reason = "Out of memory.";
    summary.startedAt = timeNow();
    summary.firstLoss = 2.5;
    summary.peakReserved = int64_t { 1 } << 33;
    summary.truncatedShare = 0.125;
    const auto object = summaryToJson(summary);
    QVERIFY(object["state"] == "failed");
    QVERIFY(object["loss_noise"].is_null());
    const auto back = summaryFromJson(object.dump());
    QVERIFY(back.has_value());
    QCOMPARE(summaryToJson(*back).dump(), object.dump());
    QVERIFY(QRegularExpression("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$")
                .match(QString::fromStdString(timeNow()))
                .hasMatch());
}

void TestRunFolder::damagedSummaries_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("cut") << QByteArray("{\"state\": \"running\"");
    QTest::newRow("list") << QByteArray("[]");
    QTest::newRow("no state") << QByteArray("{}");
    QTest::newRow("unknown state") << QByteArray("{\"state\": \"dreaming\"}");
    QTest::newRow("state is a number") << QByteArray("{\"state\": 1}");
    QTest::newRow("step is a text") << QByteArray("{\"state\": \"finished\", \"step\": \"x\"}");
}

void TestRunFolder::damagedSummaries()
{
    QFETCH(QByteArray, text);
    QVERIFY(!summaryFromJson(text.toStdString()).has_value());
}

void TestRunFolder::fullDiskLeavesNoTornLine()
{
    QTemporaryDir runs;
    auto folder = RunFolder::create(runs.path().toStdString(), "run", {});
    QVERIFY(folder.has_value());
    QVERIFY(folder->append(stepWithLoss(1, 2.5)).has_value());
    const QByteArray before = contentOf(folder->path() / "metrics.jsonl");

    rlimit old {};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &old), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit full = old;
    full.rlim_cur = static_cast<rlim_t>(before.size() + 40); // room for a part of the next line
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &full), 0);
    const auto added = folder->append(stepWithLoss(2, 2.25));
    const auto summary = folder->writeSummary({});
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);

    QVERIFY(!added.has_value());
    QCOMPARE(added.error().fault, Fault::work);
    QVERIFY(added.error().message.find("metrics.jsonl") != std::string::npos);
    QCOMPARE(contentOf(folder->path() / "metrics.jsonl"), before);
    QVERIFY(!summary.has_value());
    QVERIFY(summaryFromJson(contentOf(folder->path() / "summary.json").toStdString()).has_value());
    QVERIFY(folder->append(stepWithLoss(2, 2.25)).has_value());
    QCOMPARE(readCurves(folder->path())->steps.size(), size_t { 2 });
}

void TestRunFolder::fullDiskKeepsTheLastWord()
{
    QTemporaryDir disk;
    if (::mount("tmpfs", disk.path().toLocal8Bit(), "tmpfs", 0, "size=64k") != 0) {
        QSKIP("A small disk cannot be mounted here; that takes root.");
    }
    const auto unmount = qScopeGuard([&] { ::umount(disk.path().toLocal8Bit()); });
    const std::string runs = disk.path().toStdString();
    auto folder = RunFolder::create(runs, "run", {});
    QVERIFY(folder.has_value());
    {
        QFile filler(disk.filePath("filler"));
        QVERIFY(filler.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        while (filler.write(QByteArray(4096, 'x')) == 4096) { }
    }
    QVERIFY(!writeFileAtomically(disk.filePath("other").toStdString(), "x").has_value());
    RunSummary summary;
    summary.state = RunState::failed;
    summary.reason = "the disk is full";
    QVERIFY(folder->writeSummary(summary).has_value());
    QCOMPARE(findRun(runs, "run")->summary.reason, summary.reason);
}

void TestRunFolder::unwritableFolder()
{
    QTemporaryDir runs;
    QFile file(runs.filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const auto folder = RunFolder::create(runs.filePath("file").toStdString(), "run", {});
    QVERIFY(!folder.has_value());
    QCOMPARE(folder.error().fault, Fault::work);
}

QTEST_GUILESS_MAIN(TestRunFolder)
#include "tst_run_folder.moc"
