#include "core/base/files.h"
#include "core/base/fingerprint.h"

#include <QTemporaryDir>
#include <QTest>
#include <sstream>
#include <unistd.h>

using namespace tunebench;

/// Against the values of Python's xxhash 4.1 (xxh64 of the first bytes of a text whose letter i is 'a' + 7 i mod 26).
class TestFingerprint : public QObject {
    Q_OBJECT

private slots:
    void values_data();
    void values();
    void mappedBytesDoNotStayInMemory();

private:
    /// Bytes of this process in memory, files that it has mapped among them.
    static int64_t resident()
    {
        int64_t size = 0, pages = 0;
        std::istringstream(readFile("/proc/self/statm").value()) >> size >> pages;
        return pages * ::sysconf(_SC_PAGESIZE);
    }
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

void TestFingerprint::mappedBytesDoNotStayInMemory()
{
    constexpr int64_t size = (48 << 20) + 123;
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "large";
    std::string content(size, 'x');
    for (size_t i = 0; i < content.size(); i += 4099)
        content[i] = static_cast<char>('a' + i % 26);
    QVERIFY(writeFileAtomically(path, content));
    Fingerprint expected;
    expected.add(content);
    const auto file = MappedFile::open(path).value();
    const int64_t before = resident();
    Fingerprint fingerprint;
    fingerprint.addMapped(file.bytes());
    QCOMPARE(fingerprint.text(), expected.text());
    QVERIFY2(resident() - before < size / 4, std::to_string(resident() - before).c_str());
    QVERIFY(file.text() == content); // readable as before
    QVERIFY(resident() - before > size / 2);
    releaseMapped(file.bytes().subspan(1)); // not from the beginning of a page
    QVERIFY(resident() - before < size / 4);
    releaseMapped({});
    QVERIFY(file.text() == content);
}

QTEST_GUILESS_MAIN(TestFingerprint)
#include "tst_fingerprint.moc"
