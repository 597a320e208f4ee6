#include "core/base/fingerprint.h"

#include <QTest>

using namespace tunebench;

/// Against the values of Python's xxhash 4.1 (xxh64 of the first bytes of a text whose letter i is 'a' + 7 i mod 26).
class TestFingerprint : public QObject {
    Q_OBJECT

private slots:
    void values_data();
    void values();
};

void TestFingerprint::values_data()
{
    QTest::addColumn<int>("length");
    QTest::addColumn<QString>("digits");
    QTest::newRow("nothing") << 0 << "ef46db3751d8e999";
    QTest::newRow("3") << 3 << "f0a146ee97aaeb7b";
    QTest::newRow("4") << 4 << "259fc8aa66266ab8";
    QTest::newRow("8") << 8 << "327c72a78988cb58";
    QTest::newRow("13") << 13 << "291cf29417308303";
    QTest::newRow("31") << 31 << "c60b040c0aa3c968";
    QTest::newRow("33") << 33 << "aafb3e2eb53be3e9";
    QTest::newRow("100") << 100 << "e645df0208c9f1d6";
    QTest::newRow("999") << 999 << "8b9dc4bcd505a1c3";
}

void TestFingerprint::values()
{
    QFETCH(int, length);
    std::string text;
    for (int i = 0; i < length; ++i)
        text += static_cast<char>('a' + i * 7 % 26);
    for (const size_t piece : { size_t { 1 }, size_t { 5 }, size_t { 32 }, size_t { 1000 } }) {
        Fingerprint fingerprint;
        for (size_t at = 0; at < text.size(); at += piece)
            fingerprint.add(std::string_view(text).substr(at, piece));
        QTEST(QString::fromStdString(fingerprint.text()), "digits");
    }
}

QTEST_GUILESS_MAIN(TestFingerprint)
#include "tst_fingerprint.moc"
