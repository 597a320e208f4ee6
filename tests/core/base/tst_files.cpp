#include "core/base/atomic_folder.h"
#include "core/base/files.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <sys/resource.h>

using namespace tunebench;
namespace fs = std::filesystem;

namespace {

/// As long as it lives, no file can grow beyond `bytes`: writing fails as on a full disk.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit { bytes, m_before.rlim_max };
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &m_before); }

private:
    rlimit m_before {};
};

} // namespace

class TestFiles : public QObject {
    Q_OBJECT

private slots:
    void init();
    void writesAndReads();
    void replacesWhole();
    void fullDiskKeepsTheOldContent();
    void uncommittedLeavesNothing();
    void writingIntoNoFolder();
    void unreadable_data();
    void unreadable();
    void mapsFiles();
    void folderAppearsWhole();
    void folderUncommittedLeavesNothing();
    void folderIsNeverReplaced();
    void folderTakesThePlace();
    void directories();

private:
    fs::path at(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }
    QStringList entries() const
    {
        return QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestFiles::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestFiles::writesAndReads()
{
    const std::string content("with \0 and \xff", 12);
    QVERIFY(writeFileAtomically(at("a"), content));
    const auto read = readFile(at("a"));
    QVERIFY(read && *read == content);
    QCOMPARE(entries(), QStringList { "a" });
}

void TestFiles::replacesWhole()
{
    QVERIFY(writeFileAtomically(at("a"), "long old content"));
    QVERIFY(writeFileAtomically(at("a"), "new"));
    QVERIFY(*readFile(at("a")) == "new");
}

void TestFiles::fullDiskKeepsTheOldContent()
{
    QVERIFY(writeFileAtomically(at("a"), "old"));
    Result<void> written;
    {
        const SmallDisk disk(1000);
        written = writeFileAtomically(at("a"), std::string(5000, 'x'));
    }
    QVERIFY(!written);
    QVERIFY(written.error().fault == Fault::work);
    QVERIFY(QString::fromStdString(written.error().message).contains("Cannot write"));
    QVERIFY(*readFile(at("a")) == "old");
    QCOMPARE(entries(), QStringList { "a" });
}

void TestFiles::uncommittedLeavesNothing()
{
    {
        auto file = AtomicFile::create(at("a"));
        QVERIFY(file.has_value());
        QVERIFY(file->write("half"));
        AtomicFile moved = std::move(*file);
        QVERIFY(moved.write(" of it"));
        QVERIFY(!fs::exists(at("a")));
    }
    QVERIFY(entries().isEmpty());
}

void TestFiles::writingIntoNoFolder()
{
    const auto written = writeFileAtomically(at("none") / "a", "x");
    QVERIFY(!written);
    QVERIFY(written.error().fault == Fault::work);
}

void TestFiles::unreadable_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("reason");
    QTest::newRow("missing") << "/nowhere/a"
                             << "no such file or folder";
    QTest::newRow("folder") << "/"
                            << "it is a folder";
}

void TestFiles::unreadable()
{
    QFETCH(QString, path);
    QFETCH(QString, reason);
    const auto read = readFile(path.toStdString());
    const auto mapped = MappedFile::open(path.toStdString());
    QVERIFY(!read && !mapped);
    for (const Error& error : { read.error(), mapped.error() }) {
        QVERIFY2(QString::fromStdString(error.message).contains(reason), error.message.c_str());
        QVERIFY(error.fault == Fault::input);
    }
}

void TestFiles::mapsFiles()
{
    QVERIFY(writeFileAtomically(at("a"), "content"));
    auto mapped = MappedFile::open(at("a"));
    QVERIFY(mapped.has_value());
    const MappedFile moved = std::move(*mapped);
    QVERIFY(moved.text() == "content");
    QVERIFY(mapped->bytes().empty());
    QVERIFY(writeFileAtomically(at("empty"), ""));
    const auto empty = MappedFile::open(at("empty"));
    QVERIFY(empty && empty->bytes().empty());
}

void TestFiles::folderAppearsWhole()
{
    auto folder = AtomicFolder::create(at("new/"));
    QVERIFY(folder.has_value());
    QVERIFY(writeFileAtomically(folder->content() / "a", "x"));
    QVERIFY(!fs::exists(at("new")));
    AtomicFolder moved = std::move(*folder);
    QVERIFY(moved.commit());
    QVERIFY(*readFile(at("new") / "a") == "x");
    QCOMPARE(entries(), QStringList { "new" });
}

void TestFiles::folderUncommittedLeavesNothing()
{
    {
        const auto folder = AtomicFolder::create(at("new"));
        QVERIFY(folder.has_value());
        QVERIFY(writeFileAtomically(folder->content() / "a", "x"));
    }
    QVERIFY(entries().isEmpty());
}

void TestFiles::folderIsNeverReplaced()
{
    QVERIFY(fs::create_directory(at("old")));
    QVERIFY(writeFileAtomically(at("old") / "a", "x"));
    QVERIFY(!AtomicFolder::create(at("old")));
    auto folder = AtomicFolder::create(at("new"));
    QVERIFY(folder.has_value());
    fs::create_directory(at("new")); // somebody else was faster
    QVERIFY(writeFileAtomically(at("new") / "theirs", "x"));
    QVERIFY(!folder->commit());
    QVERIFY(fs::exists(at("new") / "theirs"));
}

void TestFiles::folderTakesThePlace()
{
    QVERIFY(fs::create_directory(at("old")));
    QVERIFY(writeFileAtomically(at("old") / "a", "x"));
    {
        auto givenUp = AtomicFolder::replace(at("old"));
        QVERIFY(givenUp.has_value());
    }
    QVERIFY(*readFile(at("old") / "a") == "x");
    {
        auto folder = AtomicFolder::replace(at("old"));
        QVERIFY(folder.has_value());
        QVERIFY(writeFileAtomically(folder->content() / "b", "y"));
        QVERIFY(fs::exists(at("old") / "a"));
        QVERIFY(folder->commit());
    }
    QVERIFY(!fs::exists(at("old") / "a"));
    QVERIFY(*readFile(at("old") / "b") == "y");
    QCOMPARE(entries(), QStringList { "old" });
}

void TestFiles::directories()
{
    const QByteArray data = qgetenv("XDG_DATA_HOME");
    const QByteArray home = qgetenv("HOME");
    qputenv("XDG_DATA_HOME", "/data");
    QVERIFY(dataDirectory() == "/data/tunebench");
    qunsetenv("XDG_DATA_HOME");
    qputenv("HOME", "/home/me");
    QVERIFY(dataDirectory() == "/home/me/.local/share/tunebench");
    qputenv("HOME", home);
    if (!data.isNull())
        qputenv("XDG_DATA_HOME", data);
}

QTEST_GUILESS_MAIN(TestFiles)
#include "tst_files.moc"
