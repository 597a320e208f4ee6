#include "core/base/temporary_file.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <sys/resource.h>

using namespace tunebench;

class TestTemporaryFile : public QObject {
    Q_OBJECT

private slots:
    void init();
    void mapsWhatWasWritten();
    void leavesNothing();
    void fullDisk();
    void noFolder();

private:
    std::unique_ptr<QTemporaryDir> m_cache;
};

void TestTemporaryFile::init()
{
    m_cache = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", m_cache->path().toUtf8());
}

void TestTemporaryFile::mapsWhatWasWritten()
{
    std::optional<MappedFile> content;
    {
        auto file = TemporaryFile::create();
        QVERIFY(file);
        QVERIFY(file->write("one, ", "it"));
        QVERIFY(file->write("two", "it"));
        QCOMPARE(file->size(), size_t { 8 });
        content = *file->map();
    }
    QCOMPARE(content->text(), std::string_view("one, two"));
    content->release(0, 8);
    QCOMPARE(content->text(), std::string_view("one, two"));
    QVERIFY(TemporaryFile::create()->map()->text().empty());
}

void TestTemporaryFile::leavesNothing()
{
    const auto file = TemporaryFile::create();
    QVERIFY(file);
    QVERIFY(QDir(m_cache->filePath("tunebench")).isEmpty());
}

/// A limit on the size of files makes writing fail as a full disk does.
void TestTemporaryFile::fullDisk()
{
    auto file = TemporaryFile::create();
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small { 1000, before.rlim_max };
    setrlimit(RLIMIT_FSIZE, &small);
    const auto written = file->write(std::string(2000, 'x'), "rows.csv.gz");
    setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY(!written);
    QVERIFY(written.error().fault == Fault::work);
    QVERIFY(written.error().message.starts_with("rows.csv.gz cannot be unpacked"));
    QVERIFY(written.error().message.find("XDG_CACHE_HOME") != std::string::npos);
}

void TestTemporaryFile::noFolder()
{
    qputenv("XDG_CACHE_HOME", "/proc/none");
    const auto file = TemporaryFile::create();
    QVERIFY(!file);
    QVERIFY(file.error().message.find("/proc/none") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestTemporaryFile)
#include "tst_temporary_file.moc"
