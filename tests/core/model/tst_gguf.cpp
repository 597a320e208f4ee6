#include "core/model/gguf.h"
#include "model_test_files.h"

#include <QTemporaryDir>

using namespace tunebench;

namespace {

/// Puts a GGUF file together number by number.
class Builder {
public:
    explicit Builder(uint64_t tensors = 0, uint64_t keys = 0, uint32_t version = 3)
    {
        m_bytes = "GGUF";
        number(version).number(tensors).number(keys);
    }
    template <class T> Builder& number(T value)
    {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Builder& text(const QByteArray& value)
    {
        number(static_cast<uint64_t>(value.size()));
        m_bytes += value;
        return *this;
    }
    Builder& key(const QByteArray& name, uint32_t type) { return text(name).number(type); }
    Builder& tensor(const QByteArray& name, const QList<int64_t>& shape, uint32_t type, uint64_t offset)
    {
        text(name).number(static_cast<uint32_t>(shape.size()));
        for (const int64_t size : shape)
            number(size);
        return number(type).number(offset);
    }
    /// Pads to the alignment and appends data.
    Builder& data(qsizetype size)
    {
        m_bytes.append((32 - m_bytes.size() % 32) % 32, '\0');
        m_bytes.append(size, '\1');
        return *this;
    }
    operator QByteArray() const { return m_bytes; }

private:
    QByteArray m_bytes;
};

constexpr uint32_t u32Type = 4;
constexpr uint32_t stringType = 8;
constexpr uint32_t arrayType = 9;

} // namespace

class TestGguf : public QObject {
    Q_OBJECT

private slots:
    void readsMetadata();
    void readsTensors();
    void wideAndNegativeNumbers();
    void metadataOfUnreadableTensors();
    void refuses_data();
    void refuses();
    void missingFile();
};

void TestGguf::readsMetadata()
{
    const auto file = GgufFile::open(modelData("llama.gguf"));
    VERIFY_OK(file);
    QCOMPARE(file->text("general.architecture"), std::optional<std::string>("llama"));
    QCOMPARE(file->integer("llama.block_count"), std::optional<int64_t>(1));
    QCOMPARE(file->number("llama.block_count"), std::optional<double>(1));
    QCOMPARE(file->number("llama.rope.freq_base"), std::optional<double>(500000));
    QCOMPARE(file->flag("test.flag"), std::optional<bool>(true));
    QVERIFY(!file->text("llama.block_count"));
    QVERIFY(!file->integer("no.such.key"));
    QVERIFY(file->texts("tokenizer.ggml.tokens"));
    QCOMPARE(file->texts("tokenizer.ggml.tokens")->size(), size_t { 40 });
    QCOMPARE(file->texts("tokenizer.ggml.tokens")->back(), std::string("t39"));
    QVERIFY(file->integers("tokenizer.ggml.token_type"));
    QVERIFY(!file->texts("tokenizer.ggml.token_type"));
    QVERIFY(file->numbers("test.numbers"));
    QCOMPARE(*file->numbers("test.numbers"), (std::vector { 0.5, 1.5 }));
}

void TestGguf::readsTensors()
{
    const auto file = GgufFile::open(modelData("qwen2.gguf"));
    VERIFY_OK(file);
    const auto tensors = file->tensors();
    const auto place = std::ranges::find(tensors, "blk.0.ffn_down.weight", &TensorInfo::name);
    QVERIFY(place != tensors.end());
    QCOMPARE(place->shape, (std::vector<int64_t> { 32, 64 }));
    QVERIFY(place->type == StorageType::bf16);
    QCOMPARE(file->bytes(static_cast<size_t>(place - tensors.begin())).size(), size_t { 32 * 64 * 2 });
}

void TestGguf::wideAndNegativeNumbers()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.gguf").toStdString();
    Builder builder(0, 3);
    builder.key("wide", 10).number(UINT64_MAX).key("small", 1).number(int8_t { -3 });
    builder.key("list", arrayType)
        .number(uint32_t { 3 })
        .number(uint64_t { 2 })
        .number(int16_t { -7 })
        .number(int16_t { 9 });
    writeBytes(path, builder);
    const auto file = GgufFile::open(path);
    VERIFY_OK(file);
    QCOMPARE(file->number("wide"), std::optional<double>(18446744073709551615.0));
    QCOMPARE(file->integer("small"), std::optional<int64_t>(-3));
    QCOMPARE(*file->integers("list"), (std::vector<int64_t> { -7, 9 }));
}

void TestGguf::metadataOfUnreadableTensors()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.gguf").toStdString();
    writeBytes(path, Builder(1, 1).key("general.name", stringType).text("x").tensor("t", { 256 }, 10, 0).data(84));
    VERIFY_REFUSED(GgufFile::open(path), "Q2_K");
    const auto metadata = GgufFile::openMetadata(path);
    VERIFY_OK(metadata);
    QCOMPARE(metadata->text("general.name"), std::optional<std::string>("x"));
    QVERIFY(metadata->tensors().empty());
}

void TestGguf::refuses_data()
{
    constexpr uint64_t huge = uint64_t { 1 } << 62;
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const QByteArray& bytes, const char* reason) {
        QTest::newRow(name) << bytes << QString(reason);
    };
    row("empty", "", "empty (0 bytes)");
    row("other format", "PK\3\4 and more", "not a GGUF file");
    row("Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 98362432\n",
        "98362432 bytes");
    row("magic alone", "GGUF", "version 0");
    row("version 1", Builder(0, 0, 1), "version 1");
    row("big endian", Builder(0, 0, 0x03000000), "big-endian");
    row("huge number of keys", Builder(0, huge), "cut short");
    row("huge number of tensors", Builder(huge, 0), "cut short");
    row("huge key", Builder(0, 1).number(huge), "cut short");
    row("huge text", Builder(0, 1).key("k", stringType).number(huge), "cut short");
    row("huge array", Builder(0, 1).key("k", arrayType).number(u32Type).number(huge), "cut short");
    row("huge array of texts", Builder(0, 1).key("k", arrayType).number(stringType).number(huge).data(64), "cut short");
    row("array of arrays", Builder(0, 1).key("k", arrayType).number(arrayType).number(uint64_t { 1 }),
        "array of arrays");
    row("unknown type", Builder(0, 1).key("k", 13).number(uint64_t { 0 }), "unknown type 13");
    row("cut value", Builder(0, 1).key("k", u32Type).number(uint16_t { 0 }), "cut short");
    row("double key", Builder(0, 2).key("k", u32Type).number(1U).key("k", u32Type).number(2U), "twice");
    row("alignment 3", Builder(0, 1).key("general.alignment", u32Type).number(3U), "power of two");
    row("alignment 0", Builder(0, 1).key("general.alignment", u32Type).number(0U), "power of two");
    row("alignment as text", Builder(0, 1).key("general.alignment", stringType).text("32"), "power of two");
    row("five dimensions", Builder(1).tensor("t", { 1, 1, 1, 1, 1 }, 0, 0).data(4), "4 dimensions");
    row("long tensor name", Builder(1).tensor(QByteArray(65, 'a'), { 1 }, 0, 0).data(4), "64 bytes");
    row("negative size", Builder(1).tensor("t", { -4 }, 0, 0).data(4), "impossible shape");
    row("size over 63 bits", Builder(1).tensor("t", { 1LL << 40, 1LL << 40 }, 0, 0).data(4), "impossible shape");
    row("broken block", Builder(1).tensor("t", { 33 }, 2, 0).data(64), "impossible shape");
    row("unknown tensor type", Builder(1).tensor("t", { 32 }, 99, 0).data(64), "number 99");
    row("double tensor", Builder(2).tensor("t", { 8 }, 0, 0).tensor("t", { 8 }, 0, 32).data(64), "two tensors");
    row("overlap", Builder(2).tensor("t", { 8 }, 0, 0).tensor("u", { 8 }, 0, 0).data(64), "begins at 0, not at 32");
    row("hole", Builder(1).tensor("t", { 8 }, 0, 32).data(64), "begins at 32, not at 0");
    row("cut data", Builder(1).tensor("t", { 8 }, 0, 0).data(31), "95 of 96 bytes");
    row("larger than any disk", Builder(1).tensor("t", { 1LL << 60 }, 0, 0).data(4), "larger than any disk");
}

void TestGguf::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, reason);
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.gguf").toStdString();
    writeBytes(path, bytes);
    VERIFY_REFUSED(GgufFile::open(path), reason);
    VERIFY_REFUSED(GgufFile::open(path), "a.gguf");
}

void TestGguf::missingFile()
{
    VERIFY_REFUSED(GgufFile::open("/nowhere/a.gguf"), "no such file");
    VERIFY_REFUSED(GgufFile::open("/"), "folder");
}

QTEST_GUILESS_MAIN(TestGguf)
#include "tst_gguf.moc"
