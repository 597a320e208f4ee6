#include "core/data/files/row_source.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tunebench;
using nlohmann::ordered_json;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString filesFolder()
{
    return QStringLiteral(TUNEBENCH_TEST_DATA "/dataset_files/");
}

Result<RowSource> openOne(const QString& path, const OpenLimits& limits = {})
{
    const std::string name = path.toStdString();
    return RowSource::open({ &name, 1 }, limits);
}

/// A folder of files that a test writes.
class Files {
public:
    QString write(const QString& name, const QByteArray& content) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() ? file.fileName() : QString();
    }
    QString path() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
};

/// "line:content" of each row, "line!reason" of a refused one.
QStringList described(const RowSource& source)
{
    QStringList found;
    for (size_t i = 0; i < source.count(); ++i) {
        const auto row = source.read(i);
        found << QString::number(source.lineOf(i)) + (row ? ':' : '!')
                + QString::fromStdString(row ? row->dump() : row.error());
    }
    return found;
}

QString joined(const std::vector<std::string>& sentences)
{
    QStringList list;
    for (const auto& sentence : sentences)
        list << QString::fromStdString(sentence);
    return list.join(' ');
}

} // namespace

class TestRowSource : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void readsAsPythonDoes_data();
    void readsAsPythonDoes();
    void notices_data();
    void notices();
    void tables_data();
    void tables();
    void refusesTables_data();
    void refusesTables();
    void refusesFiles_data();
    void refusesFiles();
    void missingFile();
    void junkAfterPackedData();
    void cutFiles_data();
    void cutFiles();
    void damagedFiles_data();
    void damagedFiles();
    void preview_data();
    void preview();
    void fingerprint();
    void release();
    void stops();

private:
    QTemporaryDir m_cache; // temporary files go where the set-up's do
};

void TestRowSource::initTestCase()
{
    qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8());
}

void TestRowSource::readsAsPythonDoes_data()
{
    QTest::addColumn<QString>("name");
    const auto expected = ordered_json::parse(contentOf(filesFolder() + "rows.json").toStdString());
    for (const auto& [name, rows] : expected.items())
        QTest::addRow("%s", name.c_str()) << QString::fromStdString(name);
}

void TestRowSource::readsAsPythonDoes()
{
    QFETCH(QString, name);
    const auto expected = ordered_json::parse(contentOf(filesFolder() + "rows.json").toStdString())[name.toStdString()];
    const auto source = openOne(filesFolder() + name);
    QVERIFY2(source, source ? "" : source.error().message.c_str());
    QCOMPARE(source->count(), expected["rows"].size());
    for (size_t i = 0; i < source->count(); ++i) {
        const auto row = source->read(i);
        QVERIFY2(row, row ? "" : row.error().c_str());
        QVERIFY2(*row == expected["rows"][i],
            qPrintable(QString::fromStdString(row->dump() + "\n" + expected["rows"][i].dump())));
        QCOMPARE(source->lineOf(i), expected["lines"][i].get<size_t>());
    }
}

void TestRowSource::notices_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says"); // nothing: no notice
    QTest::newRow("plain") << "comma.csv"
                           << "";
    QTest::newRow("tabs") << "tab.tsv"
                          << "";
    QTest::newRow("semicolon") << "semicolon.csv"
                               << "separated by \";\"";
    QTest::newRow("UTF-16") << "utf16.jsonl"
                            << "UTF-16";
    QTest::newRow("CP949") << "cp949.json"
                           << "CP949";
    QTest::newRow("CP949 in gzip") << "korean.csv.gz"
                                   << "CP949";
    QTest::newRow("byte order mark") << "mark.CSV"
                                     << "byte order mark";
    QTest::newRow("Parquet") << "types.parquet"
                             << "";
}

void TestRowSource::notices()
{
    QFETCH(QString, name);
    QFETCH(QString, says);
    const auto source = openOne(filesFolder() + name);
    QVERIFY(source);
    const QString notices = joined(source->notices());
    QVERIFY2(
        says.isEmpty() ? notices.isEmpty() : notices.contains(says) && notices.contains(name), qPrintable(notices));
}

void TestRowSource::tables_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QStringList>("rows"); // starts of each row's description
    const QByteArray mark = "\xef\xbb\xbf";
    QTest::newRow("quotes and line ends")
        << "a.csv" << QByteArray("a,b\r\n\"x, \"\"y\"\"\r\nz\",1\r\n\r\nlast,\r\n")
        << QStringList { R"(2:{"a":"x, \"y\"\r\nz","b":"1"})", R"(5:{"a":"last","b":""})" };
    QTest::newRow("CR alone") << "a.csv" << QByteArray("a,b\r1,2\r\r3,4\r")
                              << QStringList { R"(2:{"a":"1","b":"2"})", R"(4:{"a":"3","b":"4"})" };
    QTest::newRow("ragged") << "a.csv" << QByteArray("a,b\n1,2\n3\n4,5,6\n7,8")
                            << QStringList { R"(2:{"a":"1","b":"2"})", "3!it has 1 cell, the first row names 2 columns",
                                   "4!it has 3 cells", R"(5:{"a":"7","b":"8"})" };
    QTest::newRow("one column") << "a.csv" << QByteArray("text\nhello\n\"a, b\"\n")
                                << QStringList { R"(2:{"text":"hello"})", R"(3:{"text":"a, b"})" };
    QTest::newRow("only a header") << "a.csv" << QByteArray("question,answer\n") << QStringList();
    QTest::newRow("quoted separators") << "a.csv" << QByteArray("q;a\n\"hi; \"\"there\"\"\";ok, then, or\n")
                                       << QStringList { R"(2:{"q":"hi; \"there\"","a":"ok, then, or"})" };
    QTest::newRow("quote inside a cell") << "a.csv" << QByteArray("a,b\n5\" disk,x\"y\"\n")
                                         << QStringList { R"(2:{"a":"5\" disk","b":"x\"y\""})" };
    QTest::newRow("after the quote") << "a.csv" << QByteArray("a,b\n\"x\"y,1\n\"z\" ,2\n")
                                     << QStringList { "2!the quoted cell \"x\" goes on", R"(3:{"a":"z","b":"2"})" };
    QTest::newRow("quote not closed") << "a.csv" << QByteArray("a,b\n\"x,1\ny,2\nz,3\n")
                                      << QStringList { "2!a quoted cell in it is not closed", R"(3:{"a":"y","b":"2"})",
                                             R"(4:{"a":"z","b":"3"})" };
    QTest::newRow("marks") << "a.csv" << mark + "a,b\n1,2\n" + mark + "3,4\n"
                           << QStringList { R"(2:{"a":"1","b":"2"})", R"(3:{"a":"3","b":"4"})" };
    QTest::newRow("names with spaces and quotes")
        << "a.csv" << QByteArray(" a , \"b\",\" c \",\xc3\xa0\n0,1,2,3\n")
        << QStringList { "2:{\"a\":\"0\",\"b\":\"1\",\"c\":\"2\",\"\u00e0\":\"3\"}" };
    QTest::newRow("no name") << "a.csv" << QByteArray(",a\n0,x\n") << QStringList { R"(2:{"column 1":"0","a":"x"})" };
    QTest::newRow("zero byte") << "a.csv" << QByteArray("a,b\n1,2\n3,\0\n", 12)
                               << QStringList { "2:", "3!a zero byte, which no text has, stands at line 3, column 3" };
    QTest::newRow("not UTF-8") << "a.csv" << QByteArray("a,b\n1,caf\xe9\n2,x\n")
                               << QStringList { "2!not UTF-8 at line 2, byte 6", "3:" };
    QTest::newRow("not UTF-8 in text") << "a.txt" << QByteArray("x\ncaf\xe9\n")
                                       << QStringList { R"(1:{"text":"x"})", "2!not UTF-8 at line 2, byte 4" };
    QTest::newRow("Chinese in GBK") << "a.txt" << QByteArray("\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7\xa1\xa3")
                                    << QStringList { "1!not UTF-8 at line 1, byte 1" };
    QTest::newRow("Shift JIS") << "a.txt" << QByteArray("\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd")
                               << QStringList { "1!not UTF-8 at line 1, byte 1" };
    QTest::newRow("Latin-1") << "a.txt" << QByteArray("gar\xe7on \xe0 c\xf4t\xe9")
                             << QStringList { "1!not UTF-8 at line 1, byte 4" };
    QTest::newRow("broken UTF-8 Korean") << "a.txt" << QByteArray("안녕\n안\xeb\x85\n녕")
                                         << QStringList { "1:", "2!not UTF-8 at line 2, byte 4", "3:" };
}

void TestRowSource::tables()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QStringList, rows);
    const Files files;
    const auto source = openOne(files.write(name, content));
    QVERIFY2(source, source ? "" : source.error().message.c_str());
    const QStringList found = described(*source);
    QVERIFY2(found.size() == rows.size(), qPrintable(found.join(" | ")));
    for (qsizetype i = 0; i < found.size(); ++i)
        QVERIFY2(found[i].startsWith(rows[i]), qPrintable(found[i] + "  does not start with  " + rows[i]));
}

void TestRowSource::refusesTables_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("says");
    QByteArray wide = "c0";
    for (int i = 1; i < 2000; ++i)
        wide += ",c" + QByteArray::number(i);
    QTest::newRow("a name twice") << QByteArray("\n\na,b,a\n1,2,3\n") << "two columns are called \"a\" in line 3";
    QTest::newRow("open name") << QByteArray("a,\"b\n1,2\n") << "a quoted column name in line 1";
    QTest::newRow("many columns") << wide << "2000 columns";
    QTest::newRow("name not UTF-8") << QByteArray("a,caf\xe9\n1,2\n") << "not UTF-8";
}

void TestRowSource::refusesTables()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, says);
    const Files files;
    const auto source = openOne(files.write("rows.csv", content));
    QVERIFY(!source);
    const QString message = QString::fromStdString(source.error().message);
    QVERIFY2(message.contains(says) && message.contains("rows.csv"), qPrintable(message));
}

void TestRowSource::refusesFiles_data()
{
    using namespace std::string_view_literals;
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("says");
    QTest::newRow("other kind") << "rows.docx" << QByteArray("PK") << ".csv";
    QTest::newRow("pointer") << "rows.json" << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0")
                             << "Git LFS";
    QTest::newRow("empty") << "rows.json" << QByteArray() << "empty";
    QTest::newRow("empty table") << "rows.csv" << QByteArray() << "empty";
    QTest::newRow("empty and packed by name") << "rows.csv.gz" << QByteArray() << "empty";
    QTest::newRow("blank") << "rows.json" << QByteArray(" \n\n") << "empty";
    QTest::newRow("not packed") << "rows.json.gz" << QByteArray("{}") << "not packed";
    QTest::newRow("UTF-32") << "rows.txt" << QByteArray("\xff\xfe\0\0a\0\0\0", 8) << "UTF-32";
    QTest::newRow("half a character") << "rows.txt" << QByteArray("\xff\xfe\x61\0\x0a\0\x62\0\x3d", 9)
                                      << "at line 2, character 2 (byte 9 of the file) it ends inside a character";
    QTest::newRow("lone surrogate") << "rows.txt" << QByteArray("\xff\xfe\x61\0\x00\xd8\x62\0", 8)
                                    << "at line 1, character 2 (byte 5 of the file) the bytes are no character";
    QTest::newRow("damaged CP949") << "rows.txt" << QByteArray("\xb0\xa1\n").repeated(200) + "a\xff\n"
                                   << "as CP949: at line 201, character 2 (byte 602 of the file)";
    QTest::newRow("no Parquet") << "rows.parquet" << QByteArray("{\"a\":1}") << "PAR1";
    QTest::newRow("only marks") << "rows.parquet" << QByteArray("PAR1PAR1PAR1") << "Cannot read the Parquet file";
    QTest::newRow("Parquet by another name") << "rows.json" << contentOf(filesFolder() + "none.parquet") << ".parquet";
    QTest::newRow("bytes") << "rows.parquet" << contentOf(filesFolder() + "bytes.parquet.refused")
                           << "column \"image\" holds binary";
}

void TestRowSource::refusesFiles()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, says);
    const Files files;
    const auto source = openOne(files.write(name, content));
    QVERIFY(!source);
    const QString message = QString::fromStdString(source.error().message);
    QVERIFY2(message.contains(says) && message.contains(name), qPrintable(message));
}

void TestRowSource::missingFile()
{
    const Files files;
    QVERIFY(!openOne(files.path() + "/none.json"));
    QVERIFY(!RowSource::open({}));
}

void TestRowSource::junkAfterPackedData()
{
    const Files folder;
    const QByteArray packed = contentOf(filesFolder() + "rows.jsonl.gz");
    const auto clean = openOne(folder.write("clean.jsonl.gz", packed + QByteArray(512, '\0')));
    const auto junk = openOne(folder.write("junk.jsonl.gz", packed + QByteArray(2, '\0') + "rubbish"));
    QVERIFY(clean && junk);
    QVERIFY(clean->notices().empty());
    QCOMPARE(described(*junk), described(*clean));
    QVERIFY(joined(junk->notices()).contains("7 bytes that are none"));
}

void TestRowSource::cutFiles_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "types.parquet", "gzip.parquet", "rows.jsonl.gz", "rows.json.zst", "parts.csv.zst" })
        QTest::addRow("%s", name) << name;
}

/// Every beginning of a packed file is refused with a sentence that names the file, except where a part ends.
void TestRowSource::cutFiles()
{
    QFETCH(QString, name);
    const QByteArray content = contentOf(filesFolder() + name);
    const Files files;
    const qsizetype step = std::max<qsizetype>(content.size() / 80, 1);
    int read = 0;
    for (qsizetype size = 1; size < content.size(); size += step) {
        const auto source = openOne(files.write(name, content.left(size)));
        read += source.has_value();
        QVERIFY(source || source.error().message.find(name.toStdString()) != std::string::npos);
    }
    QVERIFY2(read <= 1, qPrintable(QString::number(read)));
}

void TestRowSource::damagedFiles_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "types.parquet", "brotli.parquet", "lz4.parquet", "snappy.parquet", "many.parquet",
             "rows.jsonl.gz", "parts.csv.zst", "utf16.csv", "cp949.csv" })
        QTest::addRow("%s", name) << name;
}

/// Whatever a damaged byte makes of a file, there are rows or sentences.
void TestRowSource::damagedFiles()
{
    QFETCH(QString, name);
    const QByteArray content = contentOf(filesFolder() + name);
    const Files files;
    const qsizetype step = std::max<qsizetype>(content.size() / 100, 1);
    for (qsizetype at = 0; at < content.size(); at += step) {
        QByteArray damaged = content;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
        const auto source = openOne(files.write(name, damaged));
        if (source)
            described(*source);
        else
            QVERIFY(source.error().message.find(name.toStdString()) != std::string::npos);
    }
}

void TestRowSource::preview_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "comma.csv", "many.parquet", "none.parquet.gz", "rows.jsonl", "rows.json.zst",
             "utf16.jsonl", "list.json", "cp949.csv" })
        QTest::addRow("%s", name) << name;
}

void TestRowSource::preview()
{
    QFETCH(QString, name);
    const auto first = openOne(filesFolder() + name, { .maxRows = 2 });
    QVERIFY(first);
    QCOMPARE(described(*first), described(*openOne(filesFolder() + name)).mid(0, 2));
}

void TestRowSource::fingerprint()
{
    const Files files;
    const QByteArray rows = QByteArray("{\"a\":1}\n").repeated(5'000'000); // several parts
    const auto first = openOne(files.write("rows.jsonl", rows), { .maxRows = 1 })->fingerprint();
    QCOMPARE(first.size(), size_t { 16 });
    QByteArray changed = rows;
    changed[rows.size() - 3] = '2';
    QVERIFY(openOne(files.write("rows.jsonl", changed), { .maxRows = 1 })->fingerprint() != first);
    QCOMPARE(openOne(files.write("rows.jsonl", rows), { .maxRows = 1 })->fingerprint(), first);
    QVERIFY(openOne(files.write("rows.txt", rows), { .maxRows = 1 })->fingerprint() != first);
}

void TestRowSource::release()
{
    const Files files;
    const auto source = openOne(files.write("rows.jsonl", QByteArray("{\"a\":1}\n").repeated(10'000)));
    source->release(0, source->count());
    source->release(5'000, 5'000);
    QCOMPARE(source->read(7'000)->dump(), std::string("{\"a\":1}"));
}

void TestRowSource::stops()
{
    std::stop_source stop;
    stop.request_stop();
    for (const char* name : { "comma.csv", "many.parquet", "parts.csv.zst", "utf16.jsonl" }) {
        const auto source = openOne(filesFolder() + name, { .stop = stop.get_token() });
        QVERIFY(!source);
        QVERIFY(source.error().fault == Fault::work);
    }
}

QTEST_GUILESS_MAIN(TestRowSource)
#include "tst_row_source.moc"
