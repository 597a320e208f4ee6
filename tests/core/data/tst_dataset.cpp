#include "core/config/options.h"
#include "core/data/refusals.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace tunebench;

/// Loading as a whole, with rows of tokens, which need no model.
class TestDataset : public QObject {
    Q_OBJECT

private slots:
    void loadsTokens();
    void truncates_data();
    void truncates();
    void maxRowsCountsUsableRows();
    void severalFiles();
    void resultDoesNotDependOnThreads();
    void progressAndStop();
    void errors_data();
    void errors();
    void unreadableRowsAreNoDataset();
    void inspects();
    void findsTokenRows();
    void fingerprintFollowsTheContent();
    void idsBeyondTheVocabularyRefuseTheRow();
    void tokenRowsWithoutATargetAreRefusedInALook();
    void duplicatesAreCounted();
    void columnsCanBeNamed_data();
    void columnsCanBeNamed();
    void refusalsAreGrouped();
    void demoIsUsable();

private:
    std::string write(const QByteArray& bytes, const char* name = "rows.jsonl") const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write a test file");
        return file.fileName().toStdString();
    }

    static QByteArray tokenRows(int count)
    {
        QByteArray rows;
        for (int i = 0; i < count; ++i)
            rows += "{\"input_ids\":[" + QByteArray::number(i) + "," + QByteArray::number(i + 1) + "]}\n";
        return rows;
    }

    QTemporaryDir m_folder;
};

void TestDataset::loadsTokens()
{
    const std::string path
        = write("{\"input_ids\":[1,2,3]}\n\nnonsense\n{\"input_ids\":[4,5],\"labels\":[-100,5]}\n{\"text\":\"x\"}\n");
    const auto data = loadDataset({ &path, 1 }, RunConfig(), nullptr);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(data->format, DatasetFormat::tokens);
    QCOMPARE(data->columns, (std::vector<std::string> { "input_ids", "labels", "text" }));
    QCOMPARE(data->rows.size(), size_t { 2 });
    QCOMPARE(data->rows[1].ids, (std::vector<TokenId> { 4, 5 }));
    QCOMPARE(data->rows[1].labels, (std::vector<TokenId> { -100, 5 }));
    QCOMPARE(data->rows[0].line, size_t { 1 });
    QCOMPARE(data->rows[1].line, size_t { 4 });
    QCOMPARE(data->refused.size(), size_t { 2 });
    QCOMPARE(data->refused[0].line, size_t { 3 });
    QCOMPARE(data->refused[0].file, path);
    QCOMPARE(data->refused[1].line, size_t { 5 });
    QVERIFY(data->refused[1].reason.find("a row of text, the dataset is tokens") != std::string::npos);
    QCOMPARE(data->fingerprint.size(), size_t { 16 });
}

void TestDataset::truncates_data()
{
    QTest::addColumn<int>("side");
    QTest::addColumn<QString>("kept"); // ids of each row
    QTest::addColumn<QString>("refusal");
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("tokens");
    QTest::addColumn<qint64>("answers");
    QTest::newRow("right") << int(Truncation::right) << "1,2,3 4,5 11,12,13 "
                           << "nothing left to learn after truncation to 3 tokens" << 2LL << 3LL << 2LL;
    QTest::newRow("left") << int(Truncation::left) << "2,3,9 4,5 8,9,10 13,14,15 "
                          << "" << 3LL << 5LL << 1LL;
    QTest::newRow("drop") << int(Truncation::drop) << "4,5 "
                          << "more than max_length of 3 tokens" << 0LL << 0LL << 0LL;
}

void TestDataset::truncates()
{
    QFETCH(int, side);
    QFETCH(QString, kept);
    QFETCH(QString, refusal);
    const std::string path = write("{\"input_ids\":[1,2,3,9],\"labels\":[-100,-100,3,9]}\n"
                                   "{\"input_ids\":[4,5]}\n"
                                   "{\"input_ids\":[6,7,8,9,10],\"labels\":[6,-100,-100,9,10]}\n"
                                   "{\"input_ids\":[11,12,13,14,15],\"labels\":[-100,12,13,-100,15]}\n");
    RunConfig config;
    config.maxLength = 3;
    config.truncation = static_cast<Truncation>(side);
    const auto data = loadDataset({ &path, 1 }, config, nullptr);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QString found;
    for (const auto& row : data->rows) {
        QCOMPARE(row.labels.size(), row.ids.size());
        QStringList ids;
        for (const TokenId id : row.ids)
            ids << QString::number(id);
        found += ids.join(',') + ' ';
    }
    QCOMPARE(found, kept);
    QCOMPARE(data->refused.empty(), refusal.isEmpty());
    if (!refusal.isEmpty())
        QVERIFY2(
            data->refused[0].reason.find(refusal.toStdString()) != std::string::npos, data->refused[0].reason.c_str());
    QTEST(qint64(data->truncation.rows), "rows");
    QTEST(qint64(data->truncation.tokensCut), "tokens");
    QTEST(qint64(data->truncation.answersCut), "answers");
}

void TestDataset::maxRowsCountsUsableRows()
{
    const std::string path = write("{\"input_ids\":[1,2]}\nbad\n{\"input_ids\":[3,4]}\n{\"input_ids\":[5,6]}\nbad\n");
    RunConfig config;
    config.maxRows = 2;
    const auto data = loadDataset({ &path, 1 }, config, nullptr);
    QVERIFY(data);
    QCOMPARE(data->rows.size(), size_t { 2 });
    QCOMPARE(data->rows[1].ids[0], 3);
    QCOMPARE(data->refused.size(), size_t { 1 });
}

void TestDataset::severalFiles()
{
    const std::vector<std::string> paths { write(tokenRows(2), "a.jsonl"), write("[]", "b.json"),
        write("[{\"input_ids\":[7,8]},\nbad]", "c.json") };
    const auto data = loadDataset(paths, RunConfig(), nullptr);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(data->rows.size(), size_t { 3 });
    QCOMPARE(data->rows[2].ids[0], 7);
    QCOMPARE(data->refused.size(), size_t { 1 });
    QCOMPARE(data->refused[0].file, paths[2]);
    QCOMPARE(data->refused[0].line, size_t { 2 });
}

void TestDataset::resultDoesNotDependOnThreads()
{
    const std::string path = write(tokenRows(3000));
    RunConfig config;
    config.threads = 1;
    const auto one = loadDataset({ &path, 1 }, config, nullptr);
    config.threads = 7;
    const auto seven = loadDataset({ &path, 1 }, config, nullptr);
    QVERIFY(one && seven);
    QCOMPARE(one->rows.size(), size_t { 3000 });
    for (size_t i = 0; i < one->rows.size(); ++i) {
        QCOMPARE(one->rows[i].ids[0], static_cast<TokenId>(i));
        QCOMPARE(seven->rows[i].ids, one->rows[i].ids);
        QCOMPARE(seven->rows[i].line, i + 1);
    }
}

void TestDataset::progressAndStop()
{
    const std::string path = write(tokenRows(3000));
    RunConfig config;
    config.threads = 2;
    std::vector<size_t> done;
    const auto data = loadDataset({ &path, 1 }, config, nullptr, [&](size_t now, size_t all) {
        QCOMPARE(all, size_t { 3000 });
        done.push_back(now);
    });
    QVERIFY(data);
    QVERIFY(done.size() > 1 && std::is_sorted(done.begin(), done.end()));
    QCOMPARE(done.back(), size_t { 3000 });

    std::stop_source stop;
    size_t calls = 0;
    const auto stopped = loadDataset(
        { &path, 1 }, config, nullptr,
        [&](size_t, size_t) {
            ++calls;
            stop.request_stop();
        },
        stop.get_token());
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().fault, Fault::work);
    QCOMPARE(calls, size_t { 1 });
}

void TestDataset::errors_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("format");
    QTest::addColumn<QStringList>("says");
    const int automatic = int(DatasetFormat::automatic);
    QTest::newRow("other columns") << QByteArray("{\"q\":\"q\",\"a\":\"a\"}") << automatic
                                   << QStringList { "columns are q, a", "dataset_columns",
                                          "instruction and output (alpaca)", "input_ids (tokens)" };
    QTest::newRow("preference") << QByteArray("{\"prompt\":\"p\",\"chosen\":\"c\",\"rejected\":\"r\"}") << automatic
                                << QStringList { "preference pairs", "{\"completion\": \"chosen\"}" };
    QTest::newRow("no object") << QByteArray("hello\nworld") << automatic << QStringList { "line 1, column 1" };
    QTest::newRow("no columns") << QByteArray("{}") << automatic << QStringList { "columns are none" };
    QTest::newRow("no model") << QByteArray("{\"text\":\"t\"}") << automatic << QStringList { "text", "need a model" };
    QTest::newRow("wrong format given") << QByteArray("{\"text\":\"t\"}\n{\"text\":\"u\"}\n")
                                        << int(DatasetFormat::tokens)
                                        << QStringList { "2 x it is a row of text", "line 1" };
    QTest::newRow("nothing usable") << QByteArray(
        "{\"input_ids\":[1]}\n{\"input_ids\":[-1,2]}\n{\"input_ids\":[3,4,-5]}\n")
                                    << automatic
                                    << QStringList { "2 x \"input_ids\"[0] is -1", "1 x it has no supervised token",
                                           "line 2" };
    QTest::newRow("empty list") << QByteArray("[]") << automatic << QStringList { "holds no rows" };
}

void TestDataset::errors()
{
    QFETCH(QByteArray, content);
    QFETCH(int, format);
    QFETCH(QStringList, says);
    const std::string path = write(content);
    RunConfig config;
    config.datasetFormat = static_cast<DatasetFormat>(format);
    const auto data = loadDataset({ &path, 1 }, config, nullptr);
    QVERIFY(!data);
    const QString message = QString::fromStdString(data.error().message);
    QCOMPARE(data.error().fault, Fault::input);
    QVERIFY2(message.contains(QString::fromStdString(path)), qPrintable(message));
    for (const auto& words : says)
        QVERIFY2(message.contains(words), qPrintable(message));
}

void TestDataset::unreadableRowsAreNoDataset()
{
    const std::string path = write("{\"input_ids\":[1,2]}\n" + QByteArray("x\n").repeated(60'000));
    const auto data = loadDataset({ &path, 1 }, RunConfig(), nullptr);
    QVERIFY(!data);
    QVERIFY2(data.error().message.find("rows are damaged") != std::string::npos, data.error().message.c_str());
}

void TestDataset::inspects()
{
    const std::string path
        = write("{\"instruction\":\"a\",\"output\":\"b\"}\n{\"instruction\":\"a\",\"input\":\"i\",\"output\":null}\n");
    const auto look = inspectDataset({ &path, 1 }, RunConfig());
    QVERIFY2(look, look ? "" : look.error().message.c_str());
    QCOMPARE(look->format, DatasetFormat::alpaca);
    QCOMPARE(look->rows, int64_t { 1 });
    QCOMPARE(look->columns, (std::vector<std::string> { "instruction", "output", "input" }));
    QCOMPARE(look->refused.size(), size_t { 1 });
    QCOMPARE(look->refused[0].line, size_t { 2 });
    QVERIFY(!inspectDataset({}, RunConfig()));
}

void TestDataset::findsTokenRows()
{
    const std::string tokens = write(tokenRows(1), "tokens.jsonl");
    const std::string text = write("{\"text\":\"t\"}", "text.jsonl");
    QCOMPARE(holdsTokenRows({ &tokens, 1 }, RunConfig()).value(), true);
    QCOMPARE(holdsTokenRows({ &text, 1 }, RunConfig()).value(), false);
    const std::string none = m_folder.filePath("none.jsonl").toStdString();
    QVERIFY(!holdsTokenRows({ &none, 1 }, RunConfig()));
}

void TestDataset::fingerprintFollowsTheContent()
{
    const auto fingerprint = [&](const QByteArray& content) {
        const std::string path = write(content);
        return loadDataset({ &path, 1 }, RunConfig(), nullptr)->fingerprint;
    };
    const auto first = fingerprint("{\"input_ids\":[1,2]}");
    QVERIFY(fingerprint("{\"input_ids\":[1,3]}") != first);
    QCOMPARE(fingerprint("{\"input_ids\":[1,2]}"), first);
}

void TestDataset::idsBeyondTheVocabularyRefuseTheRow()
{
    const std::string path = write("{\"input_ids\":[1,2]}\n{\"input_ids\":[3,10]}\n"
                                   "{\"input_ids\":[1,2],\"labels\":[-100,12]}\n");
    EncodingSetup setup;
    setup.vocabularySize = 10;
    const auto data = loadDataset({ &path, 1 }, RunConfig(), setup);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(data->rows.size(), size_t { 1 });
    QCOMPARE(data->refused.size(), size_t { 2 });
    QCOMPARE(data->refused[0].line, size_t { 2 });
    QCOMPARE(data->refused[0].reason, std::string("it has token 10, but the model knows only the tokens 0 to 9"));
    const auto look = inspectDataset({ &path, 1 }, RunConfig(), setup);
    QVERIFY(look);
    QCOMPARE(look->rows, int64_t { 1 });
    setup.vocabularySize = 2;
    const auto none = loadDataset({ &path, 1 }, RunConfig(), setup);
    QVERIFY(!none);
    QVERIFY2(none.error().message.find("3 x it has token 2") != std::string::npos, none.error().message.c_str());
}

void TestDataset::tokenRowsWithoutATargetAreRefusedInALook()
{
    const std::string path = write("{\"input_ids\":[1,2,3],\"labels\":[1,-100,-100]}\n{\"input_ids\":[1,2,3]}\n");
    const auto look = inspectDataset({ &path, 1 }, RunConfig());
    QVERIFY(look);
    QCOMPARE(look->rows, int64_t { 1 });
    QCOMPARE(look->refused.size(), size_t { 1 });
    QCOMPARE(look->refused[0].line, size_t { 1 });
    QCOMPARE(look->extents.size(), size_t { 1 });
    QCOMPARE(look->extents[0].tokens, 3U);
    QCOMPARE(look->extents[0].supervised, 2U);
    QCOMPARE(look->extents[0].firstTarget, 1U);
    QCOMPARE(look->extents[0].lastTarget, 2U);
}

void TestDataset::duplicatesAreCounted()
{
    const std::string path = write("{\"input_ids\":[1,2]}\n{\"input_ids\":[3,4]}\n{\"id\":7,\"input_ids\":[1,2]}\n"
                                   "{\"input_ids\":[1,2],\"labels\":[-100,2]}\n");
    const auto data = loadDataset({ &path, 1 }, RunConfig(), nullptr);
    QVERIFY(data);
    QCOMPARE(data->duplicates, int64_t { 1 });
    QCOMPARE(inspectDataset({ &path, 1 }, RunConfig())->duplicates, int64_t { 1 });

    const std::string other = write("{\"input_ids\":[3,4]}\n{\"input_ids\":[5,6]}\n", "other.jsonl");
    const auto heldOut = loadDataset({ &other, 1 }, RunConfig(), nullptr);
    QVERIFY(heldOut);
    QCOMPARE(heldOutDuplicates({ data->rows, heldOut->rows }), int64_t { 1 });
    QCOMPARE(heldOutDuplicates({ heldOut->rows, {} }), int64_t { 0 });
}

void TestDataset::columnsCanBeNamed_data()
{
    QTest::addColumn<QString>("map");
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("says"); // empty: fine
    const int automatic = int(DatasetFormat::automatic);
    QTest::newRow("mapped") << R"({"prompt":"q","completion":"a"})" << automatic << "";
    QTest::newRow("mapped, format given")
        << R"({"question":"q","answer":"a"})" << int(DatasetFormat::questionAnswer) << "";
    QTest::newRow("missing column") << R"({"prompt":"query","completion":"a"})" << automatic
                                    << "a column \"query\", which";
    QTest::newRow("not of the format") << R"({"prompt":"q"})" << int(DatasetFormat::text) << "rows of text do not have";
    QTest::newRow("not enough") << R"({"prompt":"q"})" << automatic << "Cannot tell the format";
}

void TestDataset::columnsCanBeNamed()
{
    QFETCH(QString, map);
    QFETCH(int, format);
    QFETCH(QString, says);
    const std::string path = write("{\"id\":1,\"q\":\"what?\",\"a\":\"that\"}\n{\"id\":2,\"q\":\"who?\",\"a\":\"\"}\n");
    RunConfig config;
    config.datasetFormat = static_cast<DatasetFormat>(format);
    QVERIFY(setOption(config, "dataset_columns", map.toStdString()));
    const auto look = inspectDataset({ &path, 1 }, config);
    QCOMPARE(look.has_value(), says.isEmpty());
    if (!look) {
        QVERIFY2(look.error().message.find(says.toStdString()) != std::string::npos, look.error().message.c_str());
        return;
    }
    QCOMPARE(look->rows, int64_t { 1 });
    QCOMPARE(look->refused[0].line, size_t { 2 });
    QCOMPARE(look->columns, (std::vector<std::string> { "id", "q", "a" }));
    QCOMPARE(look->why,
        format == int(DatasetFormat::automatic)
            ? std::string("2 of 2 rows looked at have q (as prompt) and a (as completion); not read: id")
            : std::string("dataset_format says so"));
}

void TestDataset::refusalsAreGrouped()
{
    const std::vector<RefusedRow> refused { { "a.json", 4, "the answer (turn 2) is empty" },
        { "a.json", 7, "it is a row of text" }, { "a.json", 9, "the answer (turn 4) is empty" } };
    const auto groups = groupRefusals(refused);
    QCOMPARE(groups.size(), size_t { 2 });
    QCOMPARE(groups[0].count, size_t { 2 });
    QCOMPARE(refusalPlaces(groups[0], true), std::string("lines 4, 9"));
    QCOMPARE(refusalPlaces(groups[1], true), std::string("line 7"));
    QCOMPARE(refusalPlaces(groups[1], false), std::string("a.json line 7"));
    QCOMPARE(refusalSummary(refused),
        std::string("2 x the answer (turn 2) is empty (first at line 4); 1 x it is a row of text (first at line 7)"));
}

void TestDataset::demoIsUsable()
{
    const std::string path = TUNEBENCH_SOURCE "/resources/demo/alpaca_demo.json";
    const auto look = inspectDataset({ &path, 1 }, RunConfig());
    QVERIFY2(look, look ? "" : look.error().message.c_str());
    QCOMPARE(look->format, DatasetFormat::alpaca);
    QCOMPARE(look->rows, int64_t { 500 });
    QVERIFY(look->refused.empty());
}

QTEST_GUILESS_MAIN(TestDataset)
#include "tst_dataset.moc"
