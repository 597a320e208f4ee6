#include "core/data/dataset.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

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
    void checksTheVocabulary();
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
    QTest::newRow("other columns") << QByteArray("{\"question\":\"q\",\"answer\":\"a\"}") << automatic
                                   << QStringList { "question, answer", "instruction and output (alpaca)",
                                          "input_ids (tokens)" };
    QTest::newRow("preference") << QByteArray("{\"conversations\":[],\"chosen\":1,\"rejected\":2}") << automatic
                                << QStringList { "chosen, rejected" };
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

void TestDataset::checksTheVocabulary()
{
    const std::vector<TokenRow> rows { { { 1, 2 }, { ignoredLabel, 2 }, 1 }, { { 3, 10 }, { ignoredLabel, 10 }, 5 } };
    QVERIFY(checkVocabulary(rows, 11));
    const auto checked = checkVocabulary(rows, 10);
    QVERIFY(!checked);
    QVERIFY2(checked.error().message.find("line 5 of the dataset has token 10") != std::string::npos,
        checked.error().message.c_str());
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
