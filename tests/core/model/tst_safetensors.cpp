#include "core/model/safetensors.h"
#include "model_test_files.h"

#include <QTemporaryDir>
#include <csignal>
#include <sys/resource.h>

using namespace tunebench;

namespace {

QByteArray withHeader(const QByteArray& header, qsizetype dataSize = 0)
{
    const auto length = static_cast<uint64_t>(header.size());
    return QByteArray(reinterpret_cast<const char*>(&length), sizeof length) + header + QByteArray(dataSize, '\1');
}

std::vector<TensorToWrite> tensorsOf(const SafetensorsFile& file)
{
    std::vector<TensorToWrite> tensors;
    for (size_t i = 0; i < file.tensors().size(); ++i)
        tensors.push_back({ file.tensors()[i], file.bytes(i) });
    return tensors;
}

} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

private slots:
    void readsEveryType();
    void writesAsTheLibrary_data();
    void writesAsTheLibrary();
    void refuses_data();
    void refuses();
    void cutAnywhere();
    void writerRefuses();
    void fullDiskKeepsTheOldFile();
};

void TestSafetensors::readsEveryType()
{
    const auto file = SafetensorsFile::open(modelData("types.safetensors"));
    VERIFY_OK(file);
    QCOMPARE(file->tensors().size(), size_t { 9 });
    QCOMPARE(file->metadata().at("format"), std::string("pt"));
    const auto place = std::ranges::find(file->tensors(), "single", &TensorInfo::name);
    QVERIFY(place != file->tensors().end() && place->type == StorageType::f32);
    QCOMPARE(place->shape, (std::vector<int64_t> { 2, 3 }));
    QCOMPARE(file->bytes(static_cast<size_t>(place - file->tensors().begin())).size(), size_t { 24 });
}

void TestSafetensors::writesAsTheLibrary_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "types.safetensors", "llama/model.safetensors", "adapter/adapter_model.safetensors" })
        QTest::newRow(name) << name;
}

void TestSafetensors::writesAsTheLibrary()
{
    QFETCH(QString, name);
    const auto source = modelData(name.toStdString());
    const auto file = SafetensorsFile::open(source);
    VERIFY_OK(file);
    auto tensors = tensorsOf(*file);
    std::ranges::reverse(tensors);
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
    VERIFY_OK(writeSafetensors(path, tensors));
    QCOMPARE(readBytes(path), readBytes(source));
}

void TestSafetensors::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const QByteArray& bytes, const char* reason) {
        QTest::newRow(name) << bytes << QString(reason);
    };
    const QByteArray good = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
    row("empty", "", "empty (0 bytes)");
    row("Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 269060552\n",
        "git lfs pull");
    row("five bytes", QByteArray(5, '\1'), "5 of 8 bytes");
    row("huge header length", QByteArray(8, '\xff') + "{}", "not a safetensors file");
    row("header over the limit", QByteArray("\x01\xe1\xf5\x05\0\0\0\0", 8) + "{}", "header would have 100000001 bytes");
    row("header past the end", withHeader("{}").replace(0, 1, QByteArray(1, 50)), "10 of 58 bytes");
    row("a web page", withHeader("<html></html>"), "does not begin");
    row("not JSON", withHeader("{oops"), "not JSON");
    row("cut JSON", withHeader("{" + good), "not JSON");
    row("two documents", withHeader("{}{}"), "not JSON");
    row("double name", withHeader("{" + good + "," + good + "}", 8), "\"a\" twice");
    row("double property", withHeader(R"({"a":{"dtype":"F32","dtype":"F16"}})"), "\"dtype\" of \"a\" twice");
    row("unknown property", withHeader(R"({"a":{"colour":"red"}})"), "colour");
    row("missing property", withHeader(R"({"a":{"dtype":"F32","shape":[2]}})", 8),
        "does not say type, shape and place");
    row("unknown type", withHeader(R"({"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", 2), "F8_E4M3");
    row("type is a number", withHeader(R"({"a":{"dtype":3,"shape":[2],"data_offsets":[0,8]}})", 8), "dtype");
    row("negative size", withHeader(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8), "shape");
    row("fractional size", withHeader(R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8), "shape");
    row("many dimensions", withHeader("{\"a\":{\"shape\":[" + QByteArray("1,").repeated(999) + "1]}}"), "shape");
    row("nested shape", withHeader("{\"a\":{\"shape\":" + QByteArray("[").repeated(100000)), "shape");
    row("nested objects", withHeader(QByteArray("{\"a\":").repeated(100000)), "unknown property \"a\"");
    row("three places", withHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4,8]}})", 8), "data_offsets");
    row("overflowing size",
        withHeader(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})", 8), "does not fit");
    row("wrong size", withHeader(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8), "does not fit");
    row("backwards", withHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8), "does not fit");
    row("overlap", withHeader("{" + good + R"(,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12),
        "overlaps");
    row("hole", withHeader("{" + good + R"(,"b":{"dtype":"F32","shape":[2],"data_offsets":[12,20]}})", 20), "hole");
    row("bytes past the end", withHeader("{" + good + "}", 11), "3 bytes follow");
    row("cut data", withHeader("{" + good + "}", 5), "67 of 70 bytes");
    row("metadata is no text", withHeader(R"({"__metadata__":{"a":1}})"), "wrong value");
}

void TestSafetensors::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, reason);
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
    writeBytes(path, bytes);
    VERIFY_REFUSED(SafetensorsFile::open(path), reason);
    VERIFY_REFUSED(SafetensorsFile::open(path), "a.safetensors");
}

void TestSafetensors::cutAnywhere()
{
    const QByteArray whole = readBytes(modelData("types.safetensors"));
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
    for (qsizetype size = 1; size < whole.size(); ++size) {
        writeBytes(path, whole.left(size));
        VERIFY_REFUSED(SafetensorsFile::open(path), "is cut short");
    }
}

void TestSafetensors::writerRefuses()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
    const std::vector<std::byte> bytes(8);
    const TensorToWrite good { { "a", StorageType::f32, { 2 } }, bytes };
    QVERIFY(!writeSafetensors(path, std::vector { good, good }));
    QVERIFY(!writeSafetensors(path, std::vector { TensorToWrite { { "a", StorageType::f32, { 3 } }, bytes } }));
    QVERIFY(!writeSafetensors(path, std::vector { TensorToWrite { { "a", StorageType::q8_0, { 32 } }, bytes } }));
    QVERIFY(QDir(folder.path()).isEmpty());
}

void TestSafetensors::fullDiskKeepsTheOldFile()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
    const std::vector<std::byte> bytes(1 << 16);
    const std::vector tensors { TensorToWrite { { "a", StorageType::u8, { 1 << 16 } }, bytes } };
    writeBytes(path, "old");
    rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small { 1 << 15, before.rlim_max };
    setrlimit(RLIMIT_FSIZE, &small);
    const auto written = writeSafetensors(path, tensors);
    setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY(!written);
    QVERIFY(written.error().fault == Fault::work);
    QCOMPARE(readBytes(path), QByteArray("old"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    VERIFY_OK(writeSafetensors(path, tensors));
}

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
