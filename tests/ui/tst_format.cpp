#include "tests/ui/ui_test.h"
#include "ui/base/format.h"

using namespace tunebench;

/// Numbers as people read them.
class TestFormat : public QObject {
    Q_OBJECT
private slots:
    void durationsAreRead_data();
    void durationsAreRead();
};

void TestFormat::durationsAreRead_data()
{
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("hours") << 3725.0 << "1 h 02 min";
    QTest::newRow("minutes") << 185.4 << "3 min 05 s";
    QTest::newRow("seconds") << 12.4 << "12 s";
    QTest::newRow("few seconds") << 1.24 << "1.2 s";
    QTest::newRow("a tenth") << 0.1 << "0.1 s";
    QTest::newRow("less than a tenth") << 0.0451 << "45 ms";
    QTest::newRow("few milliseconds") << 0.00234 << "2.3 ms";
    QTest::newRow("none") << 0.0 << "0.0 s";
    QTest::newRow("not a time") << -1.0 << QString(QChar(0x2013));
}

void TestFormat::durationsAreRead()
{
    QFETCH(double, seconds);
    QTEST(formatDuration(seconds).replace(QChar(QChar::Nbsp), ' '), "text");
}

TUNEBENCH_UI_TEST(TestFormat)
#include "tst_format.moc"
