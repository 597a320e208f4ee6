#include "tests/ui/token_rows.h"
#include "tests/ui/ui_test.h"
#include "ui/data/cut_warning.h"
#include "ui/data/data_headline.h"

#include <QProgressBar>
#include <QPushButton>
#include <QSemaphore>
#include <QSignalSpy>

#include <atomic>

using namespace tunebench;

namespace {

/// 100 rows of 10 tokens whose last 4 are learned, and `longRows` of 30 tokens whose last 10 are.
QByteArray someRows(int longRows)
{
    return tokenRow(10, 4).repeated(100) + tokenRow(30, 10).repeated(longRows);
}

struct Analysed {
    QTemporaryDir folder;
    RunConfig config;
    DataAnalysis analysis;

    explicit Analysed(const QByteArray& rows)
    {
        config.model = folder.filePath(QStringLiteral("no-model")).toStdString();
        config.dataset = { path().toStdString() };
        writeFile(path(), rows);
    }

    QString path() const { return folder.filePath(QStringLiteral("rows.jsonl")); }

    void analyse() { analysis.setConfig(config); }
    bool isDone() const { return analysis.state() == DataAnalysis::State::done; }
};

} // namespace

class TestDataAnalysis : public QObject {
    Q_OBJECT
private slots:
    void theNewestPieceOfWorkWins();
    void cancelledWorkIsNotHeardOf();
    void theFirstRowsAreThereBeforeTheRest();
    void findsLengthsBeforeTruncation();
    void readsAgainOnlyWhenRowsMayDiffer();
    void canBeStoppedAndBegunAgain();
    void saysWhatIsWrong();
    void knowsTheRowsOfAPlan();
    void rowsOfTextWithoutATokenizerAreCounted();
    void theHeadlineSaysWhatIsThere();
    void warnsOfAnswersThatLoseTheirEnd_data();
    void warnsOfAnswersThatLoseTheirEnd();
};

void TestDataAnalysis::theNewestPieceOfWorkWins()
{
    QSemaphore gate;
    std::vector<int> done;
    QObject context;
    LatestTask<int> task(&context, [&done](int number) { done.push_back(number); });
    for (const int number : { 1, 2, 3, 4 }) {
        task.request([&gate, number](const std::stop_token&) {
            gate.acquire();
            return number;
        });
    }
    gate.release(4);
    QTRY_COMPARE(done.size(), size_t(2));
    QCOMPARE(done, (std::vector { 1, 4 }));
}

void TestDataAnalysis::cancelledWorkIsNotHeardOf()
{
    std::vector<int> done;
    std::atomic<bool> stopped { false };
    QObject context;
    LatestTask<int> task(&context, [&done](int number) { done.push_back(number); });
    task.request([&stopped](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            QThread::yieldCurrentThread();
        }
        stopped = true;
        return 1;
    });
    task.cancel();
    task.request([](const std::stop_token&) { return 2; });
    QTRY_COMPARE(done, std::vector { 2 });
    QVERIFY(stopped);
}

void TestDataAnalysis::theFirstRowsAreThereBeforeTheRest()
{
    Analysed analysed(someRows(10));
    QVERIFY(analysed.analysis.preview() == nullptr);
    analysed.analyse();
    QTRY_VERIFY(analysed.analysis.preview() != nullptr);
    const SharedPreview preview = analysed.analysis.preview();
    QCOMPARE(preview->rows.size(), size_t(30));
    QCOMPARE(preview->rows[1].line, size_t(2));
    QVERIFY(preview->format == DatasetFormat::tokens);
    QTRY_VERIFY(analysed.isDone());
    analysed.config.dataset = { "no such file" };
    analysed.analyse();
    QVERIFY(analysed.analysis.preview() == nullptr);
    QTRY_VERIFY(analysed.analysis.state() == DataAnalysis::State::failed);
    QVERIFY(analysed.analysis.preview() == nullptr);
}

void TestDataAnalysis::findsLengthsBeforeTruncation()
{
    Analysed rows(someRows(20) + tokenRow(5, 0));
    rows.config.maxLength = 8;
    rows.analyse();
    QCOMPARE(rows.analysis.state(), DataAnalysis::State::running);
    QTRY_VERIFY(rows.isDone());
    const AnalysedData& data = *rows.analysis.data();
    QCOMPARE(data.inspection.extents.size(), size_t(120));
    QCOMPARE(data.lengths.longest, 30);
    QCOMPARE(data.lengths.p50, 10);
    QCOMPARE(data.inspection.refused.size(), size_t(1));
    QCOMPARE(data.inspection.refused.front().row, size_t(120));
    QCOMPARE(data.refusals.size(), size_t(1));
    QVERIFY(data.noTokens.isEmpty());
}

void TestDataAnalysis::readsAgainOnlyWhenRowsMayDiffer()
{
    Analysed rows(someRows(1));
    rows.analyse();
    QTRY_VERIFY(rows.isDone());
    const SharedData first = rows.analysis.data();
    QSignalSpy changes(&rows.analysis, &DataAnalysis::changed);
    rows.config.maxLength = 20;
    rows.config.truncation = Truncation::left;
    rows.config.batchSize = 9;
    rows.analyse();
    QCOMPARE(changes.count(), 0);
    QCOMPARE(rows.analysis.data(), first);
    writeFile(rows.path(), someRows(2));
    rows.analyse();
    QVERIFY(!rows.isDone());
    QTRY_VERIFY(rows.isDone());
    QCOMPARE(rows.analysis.data()->inspection.rows, 102);
}

void TestDataAnalysis::canBeStoppedAndBegunAgain()
{
    Analysed rows(someRows(1));
    DataHeadline headline(rows.analysis, nullptr);
    headline.show();
    rows.analyse();
    auto* button = headline.findChild<QPushButton*>();
    QTRY_VERIFY(button->isVisible() || rows.isDone());
    rows.analysis.stop();
    QCOMPARE(rows.analysis.state(), DataAnalysis::State::stopped);
    QVERIFY(rows.analysis.data() == nullptr);
    QVERIFY2(headline.text().contains(QStringLiteral("stopped")), qPrintable(headline.text()));
    QVERIFY(button->isVisible());
    rows.analyse(); // nothing is different
    QCOMPARE(rows.analysis.state(), DataAnalysis::State::stopped);
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(rows.isDone());
    QVERIFY(!button->isVisible());
}

void TestDataAnalysis::saysWhatIsWrong()
{
    Analysed rows({});
    rows.config.dataset = { rows.folder.filePath(QStringLiteral("missing.jsonl")).toStdString() };
    DataHeadline headline(rows.analysis, nullptr);
    rows.analyse();
    QTRY_COMPARE(rows.analysis.state(), DataAnalysis::State::failed);
    QVERIFY(rows.analysis.problem().contains(QStringLiteral("missing.jsonl")));
    QVERIFY(headline.text().contains(QStringLiteral("missing.jsonl")));
}

void TestDataAnalysis::knowsTheRowsOfAPlan()
{
    Analysed rows(someRows(1));
    const QString evaluation = rows.folder.filePath(QStringLiteral("held-out.jsonl"));
    const auto analysed = [&rows] {
        rows.analyse();
        return QTest::qWaitFor([&rows] { return rows.isDone(); });
    };
    QVERIFY(analysed());
    QCOMPARE(runExtents(*rows.analysis.data())->dataset.size(), size_t(101));
    QVERIFY(runExtents(*rows.analysis.data())->evaluation.empty());
    QVERIFY(rows.analysis.whyNoPlan().isEmpty());

    rows.config.evalDataset = { evaluation.toStdString() };
    writeFile(evaluation, tokenRow(40, 4).repeated(3));
    QVERIFY(analysed());
    const Result<RunExtents> extents = runExtents(*rows.analysis.data());
    QVERIFY(extents.has_value());
    QCOMPARE(extents->evaluation.size(), size_t(3));
    QCOMPARE(extents->evaluation.front().tokens, 40U);

    writeFile(evaluation, tokenRow(5, 0));
    QVERIFY(analysed());
    QVERIFY2(rows.analysis.whyNoPlan().contains(evaluation), qPrintable(rows.analysis.whyNoPlan()));
    QVERIFY(QFile::remove(evaluation));
    QVERIFY(analysed());
    QVERIFY2(rows.analysis.whyNoPlan().contains(evaluation), qPrintable(rows.analysis.whyNoPlan()));

    rows.config.evalDataset.clear();
    rows.config.objective = Objective::dpo;
    QVERIFY(analysed());
    QVERIFY2(rows.analysis.whyNoPlan().contains(QStringLiteral("dpo")), qPrintable(rows.analysis.whyNoPlan()));
    QVERIFY(!runExtents(*rows.analysis.data()));
}

void TestDataAnalysis::rowsOfTextWithoutATokenizerAreCounted()
{
    Analysed rows(QByteArray(R"({"prompt": "a", "completion": "b"})"
                             "\n")
                      .repeated(7));
    DataHeadline headline(rows.analysis, nullptr);
    rows.analyse();
    QTRY_VERIFY(rows.isDone());
    QCOMPARE(rows.analysis.data()->inspection.rows, 7);
    QVERIFY(rows.analysis.data()->inspection.extents.empty());
    QVERIFY(!rows.analysis.data()->noTokens.isEmpty());
    QVERIFY(headline.text().contains(QStringLiteral("tokenizer")));
}

void TestDataAnalysis::theHeadlineSaysWhatIsThere()
{
    Analysed rows(someRows(20) + tokenRow(5, 0));
    DataHeadline headline(rows.analysis, nullptr);
    rows.analyse();
    QTRY_VERIFY(rows.isDone());
    rows.config.maxLength = 20;
    headline.setConfig(rows.config);
    for (const char* part : { "rows.jsonl", "tokens", "<b>100</b> usable", "<b>1</b> refused",
             "<b>20</b> left out by max_length", "118 duplicates", "input_ids" }) {
        QTRY_VERIFY2(headline.text().contains(QString::fromUtf8(part)), qPrintable(headline.text()));
    }
}

void TestDataAnalysis::warnsOfAnswersThatLoseTheirEnd_data()
{
    QTest::addColumn<int>("longRows");
    QTest::addColumn<int>("maxLength");
    QTest::addColumn<Truncation>("truncation");
    QTest::addColumn<QString>("expected");
    QTest::newRow("two in a hundred") << 2 << 24 << Truncation::right << "2 of 102 answers (2.0\u00a0%) lose their end";
    QTest::newRow("one in 101") << 1 << 24 << Truncation::right << "";
    QTest::newRow("long enough") << 9 << 32 << Truncation::right << "";
    QTest::newRow("the beginning is no answer") << 9 << 24 << Truncation::left << "";
    QTest::newRow("cut from the left") << 9 << 8 << Truncation::left << "9 of 109 answers (8.3\u00a0%) lose a part";
    QTest::newRow("dropped rows lose no end") << 9 << 24 << Truncation::drop << "";
}

void TestDataAnalysis::warnsOfAnswersThatLoseTheirEnd()
{
    QFETCH(int, longRows);
    QFETCH(int, maxLength);
    QFETCH(Truncation, truncation);
    QFETCH(QString, expected);
    Analysed rows(someRows(longRows));
    rows.config.maxLength = maxLength;
    rows.config.truncation = truncation;
    CutWarning warning(rows.analysis, nullptr);
    warning.setConfig(rows.config);
    rows.analyse();
    QTRY_VERIFY(rows.isDone());
    if (expected.isEmpty()) {
        // Once this warning has come up and gone, the count of the wanted options has been seen.
        RunConfig strict = rows.config;
        strict.truncation = Truncation::right;
        strict.maxLength = 8;
        warning.setConfig(strict);
        QTRY_VERIFY(!warning.isHidden());
        warning.setConfig(rows.config);
        QTRY_VERIFY(warning.isHidden());
        return;
    }
    QTRY_VERIFY2(warning.text().contains(expected), qPrintable(warning.text()));
    QVERIFY(!warning.isHidden());
    QSignalSpy wanted(&warning, &CutWarning::rowsWanted);
    warning.resize(300, 60);
    warning.show();
    warning.setFocus();
    QTest::keyClick(&warning, Qt::Key_Tab);
    emit warning.linkActivated(QStringLiteral("rows"));
    QCOMPARE(wanted.count(), 1);
}

TUNEBENCH_UI_TEST(TestDataAnalysis)
#include "tst_data_analysis.moc"
