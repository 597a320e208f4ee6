#include "core/data/files/json_rows.h"

#include <QTest>

using namespace tunebench;

namespace {

/// "line:content" of each row, "line!reason" of a refused one.
QStringList described(const QByteArray& text, bool oneRowALine)
{
    QStringList found;
    const std::string_view content(text.constData(), static_cast<size_t>(text.size()));
    const RowIndex rows = splitRowsOfJson(content, oneRowALine);
    for (size_t i = 0; i < rows.count(); ++i) {
        const RawRow row = rows.row(content, i);
        const auto object = parseJsonRow(row);
        found << QString::number(row.line)
                + (object ? ':' + QString::fromStdString(object->dump())
                          : "!" + QString::fromStdString(object.error()));
    }
    return found;
}

} // namespace

class TestJsonRows : public QObject {
    Q_OBJECT

private slots:
    void finds_data();
    void finds();
    void refuses_data();
    void refuses();
    void hostileSizes_data();
    void hostileSizes();
    void longLine();
};

void TestJsonRows::finds_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("lines");
    QTest::addColumn<QStringList>("rows");
    const QByteArray mark = "\xef\xbb\xbf";
    QTest::newRow("list") << QByteArray("[{\"a\":1},\n {\"a\":2}]") << false
                          << QStringList { "1:{\"a\":1}", "2:{\"a\":2}" };
    QTest::newRow("printed list") << QByteArray("[\n  {\n    \"a\": [1,\n 2]\n  },\n  {\"b\": {}}\n]\n") << false
                                  << QStringList { "2:{\"a\":[1,2]}", "6:{\"b\":{}}" };
    QTest::newRow("one after another") << QByteArray("{\"a\":1}{\"a\":2}\n{\n\"a\":\n3}") << false
                                       << QStringList { "1:{\"a\":1}", "1:{\"a\":2}", "2:{\"a\":3}" };
    QTest::newRow("one a line in .json") << QByteArray("{\"a\":1}\r\n\r\n{\"a\":2}\r\n") << false
                                         << QStringList { "1:{\"a\":1}", "3:{\"a\":2}" };
    QTest::newRow("lines") << QByteArray("{\"a\":1}\n\n   \n\t{\"a\":2}  \r\n{\"a\":3}") << true
                           << QStringList { "1:{\"a\":1}", "4:{\"a\":2}", "5:{\"a\":3}" };
    QTest::newRow("list in .jsonl") << QByteArray("[\n{\"a\":1}\n]") << true << QStringList { "2:{\"a\":1}" };
    QTest::newRow("byte order marks in lines") << mark + "{\"a\":1}\n" + mark + "{\"a\":2}\n"
                                               << true << QStringList { "1:{\"a\":1}", "2:{\"a\":2}" };
    QTest::newRow("byte order marks of two lists")
        << mark + "[{\"a\":1}]\n" + mark + "[{\"a\":2}]" << false << QStringList { "1:{\"a\":1}", "2:{\"a\":2}" };
    QTest::newRow("last of equal keys") << QByteArray("{\"a\":1,\"b\":2,\"a\":3}") << true
                                        << QStringList { "1:{\"a\":3,\"b\":2}" };
    QTest::newRow("braces and quotes in text") << QByteArray("[{\"a\":\"}]{\\\"[\\\\\"},{\"a\":\"\\u007b\"}]") << false
                                               << QStringList { "1:{\"a\":\"}]{\\\"[\\\\\"}", "1:{\"a\":\"{\"}" };
    QTest::newRow("empty list") << QByteArray("[ ]") << false << QStringList();
    QTest::newRow("comma at the end of a list") << QByteArray("[{\"a\":1},]") << false << QStringList { "1:{\"a\":1}" };
}

void TestJsonRows::finds()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, lines);
    QTEST(described(text, lines), "rows");
}

void TestJsonRows::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("lines");
    QTest::addColumn<QStringList>("starts"); // of each row's description
    QTest::newRow("trailing comma") << QByteArray("{\"a\":1}\n{\"a\":2},\n{\"a\":3}") << true
                                    << QStringList { "1:", "2!not valid JSON at line 2, column 8: ", "3:" };
    QTest::newRow("trailing comma in .json") << QByteArray("{\"a\":1},\n{\"a\":2}") << false
                                             << QStringList { "1!not valid JSON at line 1, column 8: ", "2:" };
    QTest::newRow("cut last line") << QByteArray("{\"a\":1}\n{\"a\":") << true
                                   << QStringList { "1:", "2!not valid JSON at line 2, column 6: " };
    QTest::newRow("cut list") << QByteArray("[{\"a\":1},\n{\"a\":\"x") << false
                              << QStringList { "1:", "2!not valid JSON at line 2, column 1: the file ends inside it" };
    QTest::newRow("cut between elements") << QByteArray("[{\"a\":1},") << false
                                          << QStringList { "1:", "1!not valid JSON at line 1, column 10: the list" };
    QTest::newRow("bad line") << QByteArray("{\"a\":1}\nhello\n{\"a\":3}") << true
                              << QStringList { "1:", "2!not valid JSON at line 2, column 1: ", "3:" };
    QTest::newRow("bad line in .json") << QByteArray("{\"a\":1}\nhello\n{\"a\":3}") << false
                                       << QStringList { "1:", "2!not valid JSON at line 2, column 1: ", "3:" };
    QTest::newRow("error in a printed element")
        << QByteArray("[\n {\n  \"a\": 1\n  \"b\": 2\n },\n {\"a\":3}\n]") << false
        << QStringList { "2!not valid JSON at line 4, column 5: ", "6:" };
    QTest::newRow("no closing brace") << QByteArray("[{\"a\":1, {\"a\":2},\n{\"a\":3}]") << false
                                      << QStringList { "1!not valid JSON at line 1, column 2: it is not closed",
                                             "1:", "2:" };
    QTest::newRow("cut in a key's value") << QByteArray("{\"a\":\n{\"a\":2}\n{\"a\":3}") << false
                                          << QStringList { "1!not valid JSON at line 1", "2:", "3:" };
    QTest::newRow("open string") << QByteArray("[\n {\"a\":\"x\n },\n {\"a\":2}\n]") << false
                                 << QStringList { "2!not valid JSON at line 2, column 2: a string in it is not closed",
                                        "4:" };
    QTest::newRow("open string after a quoted quote")
        << QByteArray("{\"a\":\"x\\\"\n{\"a\":2}") << false << QStringList { "1!", "2:" };
    QTest::newRow("not an object") << QByteArray("[1,\"x\",[2],null,{\"a\":1}]") << false
                                   << QStringList { "1!a row is an object {...}, this one is a number",
                                          "1!a row is an object", "1!", "1!a row is an object {...}, this one is null",
                                          "1:" };
    QTest::newRow("Latin-1") << QByteArray("{\"a\":1}\n{\"a\":\"caf\xe9\"}\n{\"a\":2}") << true
                             << QStringList { "1:", "2!not UTF-8 at line 2, byte 10", "3:" };
    QTest::newRow("cut character") << QByteArray("{\"a\":\"\xed\x95\"}") << true
                                   << QStringList { "1!not UTF-8 at line 1, byte 7" };
    QTest::newRow("surrogate in UTF-8") << QByteArray("{\"a\":\"\xed\xa0\x80\"}") << true
                                        << QStringList { "1!not UTF-8 at line 1, byte 7" };
    QTest::newRow("half a surrogate pair")
        << QByteArray("{\"a\":\"\\ud83d\"}") << true
        << QStringList { "1!not valid JSON at line 1, column 13: half of a surrogate pair stands alone; write both" };
    QTest::newRow("zero byte") << QByteArray("{\"a\":\"\0\"}", 9) << true
                               << QStringList { "1!not valid JSON at line 1" };
    QTest::newRow("stray brackets") << QByteArray("}]\n{\"a\":1}\n]]]") << false << QStringList { "1!", "2:", "3!" };
    QTest::newRow("control character") << QByteArray("{\"a\":\"\x01\"}") << true
                                       << QStringList { "1!not valid JSON at line 1, column 7" };
    QTest::newRow("unknown escape") << QByteArray("{\"a\":\"\\x41\"}") << true << QStringList { "1!not valid JSON" };
    QTest::newRow("number beyond all") << QByteArray("{\"a\":1e400}") << true
                                       << QStringList { "1!not valid JSON at line 1, column 1: a number is too large" };
    QTest::newRow("cut text in a list") << QByteArray("[\"abc") << false
                                        << QStringList { "1!not valid JSON at line 1, column 6: a text is not closed" };
    QTest::newRow("leading zero") << QByteArray("{\"a\":01}") << true << QStringList { "1!not valid JSON at line 1" };
    QTest::newRow("infinity") << QByteArray("{\"a\":-Infinity}") << true
                              << QStringList { "1!not valid JSON at line 1" };
    QTest::newRow("single quotes") << QByteArray("{'a':1}") << true << QStringList { "1!not valid JSON at line 1" };
    QTest::newRow("comment") << QByteArray("{\"a\":1 /* one */}") << true
                             << QStringList { "1!not valid JSON at line 1" };
    QTest::newRow("two on a line") << QByteArray("{\"a\":1} {\"a\":2}") << true
                                   << QStringList { "1!not valid JSON at line 1, column 9" };
    QTest::newRow("only a backslash at the end") << QByteArray("[{\"a\":\"\\") << false << QStringList { "1!" };
    QTest::newRow("not a number") << QByteArray("{\"a\":NaN}") << true
                                  << QStringList { "1!not valid JSON at line 1, column 6" };
}

void TestJsonRows::refuses()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, lines);
    QFETCH(QStringList, starts);
    const QStringList found = described(text, lines);
    QVERIFY2(found.size() == starts.size(), qPrintable(found.join(" | ")));
    for (qsizetype i = 0; i < found.size(); ++i)
        QVERIFY2(found[i].startsWith(starts[i]), qPrintable(found[i] + "  does not start with  " + starts[i]));
}

void TestJsonRows::hostileSizes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("lines");
    QTest::addColumn<QString>("says");
    QByteArray keys = "{";
    for (int i = 0; i < 5000; ++i)
        keys += '"' + QByteArray::number(i) + "\":1,";
    keys.back() = '}';
    for (const bool lines : { false, true }) {
        const char* kind = lines ? "lines" : "values";
        QTest::addRow("deep lists, %s", kind)
            << "{\"a\":" + QByteArray(1'000'000, '[') + QByteArray(1'000'000, ']') + "}" << lines << "nested deeper";
        QTest::addRow("deep objects, %s", kind)
            << QByteArray("{\"a\":").repeated(100'000) + "1" + QByteArray(100'000, '}') << lines << "nested deeper";
        QTest::addRow("deep and cut, %s", kind)
            << "{\"a\":" + QByteArray(1'000'000, '[') << lines << (lines ? "nested deeper" : "ends inside");
        QTest::addRow("many keys, %s", kind) << keys << lines << "4096 keys";
    }
    QTest::newRow("many values") << "{\"a\":[" + QByteArray("0,").repeated(4'000'000) + "0]}" << true
                                 << "4 million values";
    QTest::newRow("many large objects") << "{\"a\":[" + (keys.chopped(15'000) + "\"z\":1},").repeated(100)
            + keys.chopped(15'000)
            + "\"z\":1}]}" << true << "have hundreds";
    QTest::newRow("a long word in the reason")
        << "{\"a\":" + QByteArray(1'000'000, 'x') + "}" << true << "not valid JSON";
}

void TestJsonRows::hostileSizes()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, lines);
    QFETCH(QString, says);
    const QStringList found = described(text, lines);
    QVERIFY(!found.isEmpty());
    QVERIFY2(found.first().startsWith("1!") && found.first().contains(says), qPrintable(found.first().left(300)));
    QVERIFY(found.first().size() < 400);
}

void TestJsonRows::longLine()
{
    QByteArray text = "[";
    const QByteArray element = "{\"instruction\":\"" + QByteArray(300, 'a') + "\",\"output\":\"b\"},";
    constexpr int count = 20'000;
    text.reserve(count * element.size() + 2);
    for (int i = 0; i < count; ++i)
        text += element;
    text.back() = ']';
    const std::string_view content(text.constData(), static_cast<size_t>(text.size()));
    const RowIndex rows = splitRowsOfJson(content, false);
    QCOMPARE(rows.count(), size_t { count });
    QCOMPARE(rows.place(count - 1).line, size_t { 1 });
    QVERIFY(parseJsonRow(rows.row(content, count - 1)));

    const QByteArray blank(2'000'000, '\n');
    const RowIndex last = splitRowsOfJson((blank + "{}").toStdString(), true);
    QCOMPARE(last.count(), size_t { 1 });
    QCOMPARE(last.place(0).line, size_t { 2'000'001 });
}

QTEST_GUILESS_MAIN(TestJsonRows)
#include "tst_json_rows.moc"
