#include "app/cli/console.h"

#include <QTest>

using namespace tunebench;

class TestConsole : public QObject {
    Q_OBJECT

private slots:
    void sizes_data();
    void sizes();
    void durations_data();
    void durations();
    void lines_data();
    void lines();
};

void TestConsole::sizes_data()
{
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << qint64 { 0 } << "0 bytes";
    QTest::newRow("few") << qint64 { 1023 } << "1023 bytes";
    QTest::newRow("MiB") << qint64 { 812LL << 20 } << "812 MiB";
    QTest::newRow("GiB") << qint64 { 3LL << 29 } << "1.50 GiB";
    QTest::newRow("many") << std::numeric_limits<qint64>::max() << "8388608.00 TiB";
}

void TestConsole::sizes()
{
    QFETCH(qint64, bytes);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(bytesText(bytes)), text);
}

void TestConsole::durations_data()
{
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << 0.0 << "0:00";
    QTest::newRow("minutes") << 127.4 << "2:07";
    QTest::newRow("hours") << 3727.0 << "1:02:07";
    QTest::newRow("negative") << -5.0 << "0:00";
}

void TestConsole::durations()
{
    QFETCH(double, seconds);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(durationText(seconds)), text);
}

void TestConsole::lines_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<bool>("good");
    QTest::newRow("text") << QByteArray("\"a\"") << true;
    QTest::newRow("object") << QByteArray("{\"a\": [1, {\"b\": null}]}\r") << true;
    QTest::newRow("empty") << QByteArray("") << false;
    QTest::newRow("cut") << QByteArray("{\"a\"") << false;
    QTest::newRow("two") << QByteArray("1 2") << false;
    QTest::newRow("lone surrogate") << QByteArray(R"("\ud800")") << false;
    QTest::newRow("bad UTF-8") << QByteArray("\"\xff\"") << false;
    QTest::newRow("deep") << QByteArray(100000, '[') + QByteArray(100000, ']') << false;
}

void TestConsole::lines()
{
    QFETCH(QByteArray, line);
    QFETCH(bool, good);
    const auto value = parseJsonLine(line.toStdString(), 7, "a JSON value");
    QCOMPARE(value.has_value(), good);
    QVERIFY(good || value.error().message.find("Line 7") == 0);
}

QTEST_GUILESS_MAIN(TestConsole)
#include "tst_console.moc"
