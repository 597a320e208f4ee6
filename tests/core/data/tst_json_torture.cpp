#include "core/data/dataset.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace tunebench;

namespace {

/// The texts of json_torture.json, after the kinds of nst/JSONTestSuite (MIT): names that begin with y are valid JSON,
/// with n not, with i may be either. Each character of a text is a byte.
nlohmann::json cases()
{
    QFile file(QStringLiteral(TUNEBENCH_TEST_DATA "/dataset_files/json_torture.json"));
    return file.open(QIODevice::ReadOnly) ? nlohmann::json::parse(file.readAll().toStdString()) : nlohmann::json();
}

QByteArray textOf(const nlohmann::json& value)
{
    const auto bytes
        = [](const nlohmann::json& text) { return QString::fromStdString(text.get<std::string>()).toLatin1(); };
    if (value.is_string())
        return bytes(value);
    const auto times = value.at("times").get<qsizetype>();
    return bytes(value.at("text")).repeated(times) + bytes(value.value("then", nlohmann::json(""))).repeated(times);
}

/// What looking at the file says: "rows: N", then the reason of each row that is refused; or the error.
struct Look {
    int64_t rows = 0;
    QString words;
};

Look lookAt(const QString& path, const QByteArray& content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        return { -1, "the test could not write" };
    file.close();
    const std::string name = path.toStdString();
    RunConfig config;
    config.threads = 1;
    const auto found = inspectDataset({ &name, 1 }, config);
    if (!found)
        return { 0, QString::fromStdString(found.error().message) };
    QString words;
    for (const auto& row : found->refused)
        words += QString::fromStdString(row.file + ", line " + std::to_string(row.line) + ": " + row.reason + ". ");
    return { found->rows, words };
}

} // namespace

class TestJsonTorture : public QObject {
    Q_OBJECT

private slots:
    void asFile_data();
    void asFile();
    void inRow_data();
    void inRow();

private:
    static void addCases();
    QTemporaryDir m_folder;
};

void TestJsonTorture::addCases()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("ending");
    const auto all = cases();
    QVERIFY(all.size() > 318);
    for (const auto& [name, value] : all.items()) {
        for (const char* ending : { ".json", ".jsonl" })
            QTest::newRow((name + ending).c_str()) << textOf(value) << QString(ending);
    }
}

void TestJsonTorture::asFile_data()
{
    addCases();
}

/// No file of the kind holds a row that can be used as it is: each is refused with its name and the right reason.
void TestJsonTorture::asFile()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, ending);
    const QString path = m_folder.filePath("case" + ending);
    const Look look = lookAt(path, content);
    QCOMPARE(look.rows, 0);
    QVERIFY2(look.words.contains(path) && look.words.trimmed().endsWith('.'), qPrintable(look.words));
    const bool isValid = QByteArray(QTest::currentDataTag()).startsWith('y');
    // Over several lines, JSON is no JSON Lines.
    if (isValid && (ending == ".json" || !content.trimmed().contains('\n')))
        QVERIFY2(!look.words.contains("not valid JSON"), qPrintable(look.words));
}

void TestJsonTorture::inRow_data()
{
    addCases();
}

/// As a column of a row that can be used otherwise, it decides whether the row is JSON.
void TestJsonTorture::inRow()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, ending);
    const char kind = QTest::currentDataTag()[0];
    if (kind == 'y')
        content.replace('\n', ' ');
    const QString path = m_folder.filePath("row" + ending);
    const Look look = lookAt(path, "{\"text\": \"x\", \"v\": " + content + "}");
    if (kind == 'y')
        QVERIFY2(look.rows == 1 && look.words.isEmpty(), qPrintable(look.words));
    // An object that is whole may stand before what is damaged, and is read.
    if (kind == 'n' && look.rows > 0)
        QVERIFY(!look.words.isEmpty());
    if (look.rows == 0) {
        QVERIFY2(look.words.contains(path) && look.words.contains(" line "), qPrintable(look.words));
        QVERIFY2(look.words.contains("; "), qPrintable("no remedy: " + look.words));
        QVERIFY2(!look.words.contains("exception") && !look.words.contains("syntax error"), qPrintable(look.words));
    }
}

QTEST_GUILESS_MAIN(TestJsonTorture)
#include "tst_json_torture.moc"
