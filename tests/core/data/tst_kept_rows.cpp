#include "core/base/files.h"
#include "core/data/dataset.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tunebench;
namespace fs = std::filesystem;

/// Encoded rows that are kept from run to run: found again only where nothing has changed.
class TestKeptRows : public QObject {
    Q_OBJECT

private slots:
    void init();
    void sameRowsAgain();
    void changesAreNeverMissed_data();
    void changesAreNeverMissed();
    void truncationIsNotKept();
    void mostRowsAreUsableOnes();
    void damagedFilesAreReplaced_data();
    void damagedFilesAreReplaced();
    void stoppedRunsKeepNothing();
    void noFolderIsNoHindrance();

private:
    std::string write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(m_folder->filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write a test file");
        return file.fileName().toStdString();
    }

    void openModel()
    {
        auto text = openTextModel(m_folder->filePath("model").toStdString());
        if (!text)
            qFatal("%s", text.error().message.c_str());
        m_text = std::move(*text);
    }

    Result<Dataset> load(
        const RunConfig& config = {}, const LoadProgress& progress = {}, const std::stop_token& stop = {}) const
    {
        const std::string path = m_folder->filePath("rows.jsonl").toStdString();
        EncodingSetup setup(&*m_text);
        setup.textFiles = m_folder->filePath("model").toStdString();
        setup.keptRows = m_folder->filePath("kept").toStdString();
        setup.vocabularySize = m_vocabularySize;
        return loadDataset({ &path, 1 }, config, setup, progress, stop);
    }

    QStringList kept() const { return QDir(m_folder->filePath("kept")).entryList(QDir::Files | QDir::Hidden); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<TextModel> m_text;
    size_t m_vocabularySize = 0;
};

void TestKeptRows::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_vocabularySize = 0;
    QDir().mkpath(m_folder->filePath("model"));
    for (const char* name : { "tokenizer.json", "tokenizer_config.json" })
        QVERIFY(QFile::copy(QString(TUNEBENCH_TEST_DATA "/dataset/tiny/") + name, m_folder->filePath("model/") + name));
    write("model/chat_template.jinja",
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
    openModel();
    write("rows.jsonl",
        "{\"instruction\":\"a\",\"output\":\"one\"}\n{\"instruction\":\"b\",\"output\":\"\"}\nnonsense\n"
        "{\"instruction\":\"c\",\"output\":\"two, 둘\",\"id\":4}\n{\"instruction\":\"a\",\"output\":\"one\"}\n");
}

void TestKeptRows::sameRowsAgain()
{
    const auto first = load();
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QVERIFY(!first->kept);
    QCOMPARE(kept().size(), 1);
    const auto second = load();
    QVERIFY(second && second->kept);
    QCOMPARE(kept().size(), 1);
    QCOMPARE(second->rows.size(), size_t { 3 });
    for (size_t i = 0; i < first->rows.size(); ++i) {
        QCOMPARE(second->rows[i].ids, first->rows[i].ids);
        QCOMPARE(second->rows[i].labels, first->rows[i].labels);
        QCOMPARE(second->rows[i].line, first->rows[i].line);
        QCOMPARE(second->rows[i].content, first->rows[i].content);
    }
    QCOMPARE(second->columns, first->columns);
    QCOMPARE(second->notices, first->notices);
    QCOMPARE(second->duplicates, first->duplicates);
    QCOMPARE(second->fingerprint, first->fingerprint);
    QCOMPARE(second->refused.size(), size_t { 2 });
    for (size_t i = 0; i < 2; ++i) {
        QCOMPARE(second->refused[i].line, first->refused[i].line);
        QCOMPARE(second->refused[i].reason, first->refused[i].reason);
    }
}

void TestKeptRows::changesAreNeverMissed_data()
{
    QTest::addColumn<QString>("what");
    for (const char* what : { "data", "tokenizer", "template", "loss", "rows", "format", "columns", "vocabulary" })
        QTest::newRow(what) << what;
}

void TestKeptRows::changesAreNeverMissed()
{
    QFETCH(QString, what);
    QVERIFY(load());
    RunConfig config;
    const fs::path rows = m_folder->filePath("rows.jsonl").toStdString();
    const auto time = fs::last_write_time(rows);
    if (what == "data") { // same size, same time
        auto text = *readFile(rows);
        text.replace(text.find("one"), 3, "six");
        write("rows.jsonl", QByteArray::fromStdString(text));
        fs::last_write_time(rows, time);
    } else if (what == "tokenizer") {
        const fs::path file = m_folder->filePath("model/tokenizer.json").toStdString();
        write("model/tokenizer.json", QByteArray::fromStdString(*readFile(file) + "\n"));
        openModel();
    } else if (what == "template") {
        const fs::path file = m_folder->filePath("model/chat_template.jinja").toStdString();
        write("model/chat_template.jinja", QByteArray::fromStdString("{{ bos_token }}" + *readFile(file)));
        openModel();
    } else if (what == "loss") {
        config.lossOn = LossOn::all;
    } else if (what == "rows") {
        config.maxRows = 1;
    } else if (what == "format") {
        config.datasetFormat = DatasetFormat::questionAnswer;
        config.datasetColumns = { { "question", "instruction" }, { "answer", "output" } };
    } else if (what == "columns") {
        config.datasetColumns = { { "instruction", "output" }, { "output", "instruction" } };
    } else {
        m_vocabularySize = 1990;
    }
    const auto changed = load(config);
    QVERIFY2(changed, changed ? "" : changed.error().message.c_str());
    QVERIFY(!changed->kept);
    QCOMPARE(kept().size(), 2);
}

void TestKeptRows::truncationIsNotKept()
{
    QVERIFY(load());
    RunConfig config;
    config.maxLength = 16;
    config.truncation = Truncation::left;
    const auto cut = load(config);
    QVERIFY(cut && cut->kept);
    QCOMPARE(cut->truncation.rows, int64_t { 1 });
    for (const TokenRow& row : cut->rows)
        QVERIFY(row.ids.size() <= 16);
}

/// How many rows it takes until so many are usable depends on what truncation leaves of them.
void TestKeptRows::mostRowsAreUsableOnes()
{
    write("rows.jsonl",
        "{\"instruction\":\"a\",\"output\":\"one two three four five six seven eight\"}\n"
        "{\"instruction\":\"a\",\"output\":\"one\"}\n");
    RunConfig narrow;
    narrow.truncation = Truncation::drop;
    narrow.maxLength = 16;
    narrow.maxRows = 1;
    RunConfig wide;
    wide.maxRows = 1;
    for (const bool narrowFirst : { true, false }) {
        QDir(m_folder->filePath("kept")).removeRecursively();
        for (const bool isNarrow : { narrowFirst, !narrowFirst }) {
            const auto loaded = load(isNarrow ? narrow : wide);
            QVERIFY2(loaded, loaded ? "" : loaded.error().message.c_str());
            QCOMPARE(loaded->rows.size(), size_t { 1 });
            QCOMPARE(loaded->rows.front().ids.size() > 16, !isNarrow);
        }
    }
}

void TestKeptRows::damagedFilesAreReplaced_data()
{
    QTest::addColumn<int>("byte"); // to be changed, counted from the end where negative
    QTest::addColumn<int>("size"); // to be cut to, or -1
    QTest::newRow("first byte") << 0 << -1;
    QTest::newRow("middle") << 60 << -1;
    QTest::newRow("last byte") << -1 << -1;
    QTest::newRow("cut") << 1000 << 50;
    QTest::newRow("head only") << 1000 << 16;
    QTest::newRow("empty") << 1000 << 0;
}

void TestKeptRows::damagedFilesAreReplaced()
{
    QFETCH(int, byte);
    QFETCH(int, size);
    const auto first = load();
    QVERIFY(first);
    const QString path = "kept/" + kept().front();
    QFile file(m_folder->filePath(path));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray bytes = file.readAll();
    file.close();
    if (size >= 0)
        bytes.truncate(size);
    const qsizetype at = byte < 0 ? bytes.size() + byte : byte;
    if (at < bytes.size())
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write(path, bytes);
    const auto second = load();
    QVERIFY(second && !second->kept);
    QCOMPARE(second->rows.size(), first->rows.size());
    const auto third = load();
    QVERIFY(third && third->kept);
}

void TestKeptRows::stoppedRunsKeepNothing()
{
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!load({}, {}, stop.get_token()));
    QVERIFY(kept().isEmpty());
    const auto data = load();
    QVERIFY(data && !data->kept);
}

void TestKeptRows::noFolderIsNoHindrance()
{
    write("kept", "a file where the folder should be");
    const auto data = load();
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(data->rows.size(), size_t { 3 });
}

QTEST_GUILESS_MAIN(TestKeptRows)
#include "tst_kept_rows.moc"
