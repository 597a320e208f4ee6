#include "core/data/files/dataset_files.h"
#include "core/data/files/row_source.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tunebench;

namespace {

/// A folder of files that a test writes, in folders of their own where the names say so.
class Files {
public:
    QString write(const QString& name, const QByteArray& content) const
    {
        QFile file(m_folder.filePath(name));
        QDir().mkpath(QFileInfo(file).path());
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() ? file.fileName() : QString();
    }
    QString path() const { return m_folder.path(); }

    /// The dataset that the whole folder is.
    Result<DatasetFiles> find() const
    {
        const std::string folder = path().toStdString();
        return findDatasetFiles({ &folder, 1 });
    }

private:
    QTemporaryDir m_folder;
};

QString joined(const std::vector<std::string>& sentences)
{
    QStringList list;
    for (const auto& sentence : sentences)
        list << QString::fromStdString(sentence);
    return list.join(' ');
}

QStringList namesOf(const DatasetFiles& found, const QString& folder)
{
    QStringList names;
    for (const auto& file : found.paths)
        names << QDir(folder).relativeFilePath(QString::fromStdString(file));
    return names;
}

} // namespace

class TestDatasetFiles : public QObject {
    Q_OBJECT

private slots:
    void folder();
    void folderWithoutRows();
    void folderOfSplits_data();
    void folderOfSplits();
    void folderOfTwoSplitsWithoutTraining();
    void namesOneFileTwice();
    void otherKinds_data();
    void otherKinds();
};

void TestDatasetFiles::folder()
{
    const Files files;
    files.write("b.csv", "text\nsecond\n");
    files.write("a.jsonl", "{\"text\":\"first\"}");
    files.write(".hidden.json", "damaged");
    files.write("README.md", "# Rows");
    QDir(files.path()).mkdir("more.json");
    const auto found = files.find();
    QVERIFY(found);
    QCOMPARE(namesOf(*found, files.path()), QStringList({ "a.jsonl", "b.csv" }));
    const QString notices = joined(found->notices);
    QVERIFY2(notices.contains("2 files are read: a.jsonl, b.csv; left out: README.md."), qPrintable(notices));
}

void TestDatasetFiles::folderWithoutRows()
{
    const Files files;
    const auto empty = files.find();
    QVERIFY(!empty);
    QVERIFY(empty.error().message.find(".parquet") != std::string::npos);
    files.write("README.md", "# Rows");
    const auto found = files.find();
    QVERIFY(!found);
    QVERIFY(found.error().message.find("README.md") != std::string::npos);
}

void TestDatasetFiles::folderOfSplits_data()
{
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QStringList>("taken");
    QTest::addColumn<QString>("says");
    QTest::newRow("Hugging Face's layout") << QStringList { "data/train-00000-of-00002.jsonl",
        "data/train-00001-of-00002.jsonl", "data/test-00000-of-00001.jsonl", "data/validation-00000-of-00001.jsonl",
        "README.md" } << QStringList { "data/train-00000-of-00002.jsonl", "data/train-00001-of-00002.jsonl" }
                                           << "2 files are read: data/train-00000-of-00002.jsonl, "
                                              "data/train-00001-of-00002.jsonl; validation files stay out";
    QTest::newRow("splits as folders") << QStringList { "train/a.csv", "dev/a.csv", "test/a.csv" }
                                       << QStringList { "train/a.csv" } << "test files stay out";
    QTest::newRow("words in names") << QStringList { "alpaca_Train.json", "alpaca_eval.json" }
                                    << QStringList { "alpaca_Train.json" } << "alpaca_eval.json";
    QTest::newRow("a part of a word is none")
        << QStringList { "contest.jsonl", "latest.jsonl" } << QStringList { "contest.jsonl", "latest.jsonl" } << "";
    QTest::newRow("one split alone") << QStringList { "test-1.jsonl", "test-2.jsonl" }
                                     << QStringList { "test-1.jsonl", "test-2.jsonl" } << "2 files are read";
    QTest::newRow("the name before the folder") << QStringList { "test/train.jsonl", "test/test.jsonl" }
                                                << QStringList { "test/train.jsonl" } << "test/test.jsonl";
    QTest::newRow("files about the dataset")
        << QStringList { "rows.jsonl", "dataset_infos.json", "metadata.json", "state.json", "LICENSE.txt" }
        << QStringList { "rows.jsonl" } << "left out: LICENSE.txt, dataset_infos.json, metadata.json, state.json";
    QTest::newRow("hidden folders") << QStringList { "rows.jsonl", ".cache/rows.jsonl" } << QStringList { "rows.jsonl" }
                                    << "";
}

void TestDatasetFiles::folderOfSplits()
{
    QFETCH(QStringList, files);
    QFETCH(QStringList, taken);
    QFETCH(QString, says);
    const Files folder;
    for (const QString& file : files)
        folder.write(file, "{\"text\": \"a\"}");
    const auto found = folder.find();
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    QCOMPARE(namesOf(*found, folder.path()), taken);
    const QString notices = joined(found->notices);
    QVERIFY2(says.isEmpty() ? notices.isEmpty() : notices.contains(says), qPrintable(notices));
}

void TestDatasetFiles::folderOfTwoSplitsWithoutTraining()
{
    const Files folder;
    folder.write("test.jsonl", "{\"text\": \"a\"}");
    folder.write("validation.jsonl", "{\"text\": \"a\"}");
    const auto found = folder.find();
    QVERIFY(!found);
    QVERIFY(found.error().message.find("nothing to train on: validation.jsonl; test.jsonl.") != std::string::npos);
}

void TestDatasetFiles::namesOneFileTwice()
{
    const Files folder;
    const std::string file = folder.write("a.jsonl", "{\"text\": \"a\"}").toStdString();
    const std::vector<std::string> paths { file, folder.path().toStdString() + "/./a.jsonl" };
    const auto source = RowSource::open(paths);
    QVERIFY(source);
    QCOMPARE(source->count(), size_t { 2 });
    QVERIFY(joined(source->notices()).contains("a.jsonl is named 2 times; its rows are read as often."));
}

void TestDatasetFiles::otherKinds_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("remedy");
    const QByteArray zip("PK\x03\x04\x14\0\0\0", 8);
    for (const char* name : { "rows.zip", "rows.tar.gz", "rows.TGZ", "rows.7z" })
        QTest::newRow(name) << name << zip << "it is an archive; unpack it";
    QTest::newRow("spreadsheet") << "rows.xlsx" << zip << "save it as CSV";
    QTest::newRow("archive by another name") << "rows.json" << zip << "it is a ZIP archive";
    QTest::newRow("other") << "rows.docx" << zip << "convert it to .json";
}

void TestDatasetFiles::otherKinds()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, remedy);
    const Files folder;
    const std::string path = folder.write(name, content).toStdString();
    const auto source = RowSource::open({ &path, 1 });
    QVERIFY(!source);
    const QString says = QString::fromStdString(source.error().message);
    QVERIFY2(says.contains(name) && says.contains(remedy), qPrintable(says));
}

QTEST_GUILESS_MAIN(TestDatasetFiles)
#include "tst_dataset_files.moc"
