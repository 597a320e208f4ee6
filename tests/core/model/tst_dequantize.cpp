#include "core/model/dequantize.h"
#include "model_test_files.h"

#include <cmath>
#include <cstring>

using namespace tunebench;

class TestDequantize : public QObject {
    Q_OBJECT

private slots:
    void equalsGgml_data();
    void equalsGgml();
    void specialHalves();
    void plainFloats();
    void storedSizes_data();
    void storedSizes();
};

void TestDequantize::equalsGgml_data()
{
    using enum StorageType;
    QTest::addColumn<int>("type");
    for (const auto type : { f16, bf16, q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k })
        QTest::newRow(std::string(storageTypeName(type)).c_str()) << static_cast<int>(type);
}

void TestDequantize::equalsGgml()
{
    QFETCH(int, type);
    const auto storage = static_cast<StorageType>(type);
    const auto row = readJson(modelData("dequantize.json")).at(std::string(storageTypeName(storage)));
    const QByteArray bytes = QByteArray::fromHex(QByteArray::fromStdString(row.at("bytes").get<std::string>()));
    const auto expected = row.at("values").get<std::vector<float>>();
    std::vector<float> values(expected.size());
    QCOMPARE(
        storedBytes({ "", storage, { static_cast<int64_t>(values.size()) } }), std::optional<int64_t>(bytes.size()));
    dequantize(storage, std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))), values);
    for (size_t i = 0; i < values.size(); ++i)
        QVERIFY2(std::memcmp(&values[i], &expected[i], sizeof(float)) == 0, std::to_string(i).c_str());
}

void TestDequantize::specialHalves()
{
    const std::array<uint16_t, 3> halves { 0x7c00, 0xfc00, 0x7e00 };
    std::array<float, 3> values {};
    dequantize(StorageType::f16, std::as_bytes(std::span(halves)), values);
    QCOMPARE(values[0], INFINITY);
    QCOMPARE(values[1], -INFINITY);
    QVERIFY(std::isnan(values[2]));
}

void TestDequantize::plainFloats()
{
    const std::array<float, 2> numbers { 0.1F, -3e30F };
    std::array<float, 2> values {};
    dequantize(StorageType::f32, std::as_bytes(std::span(numbers)), values);
    QCOMPARE(values, numbers);
    QVERIFY(holdsReals(StorageType::f32) && !holdsReals(StorageType::i64));
}

void TestDequantize::storedSizes_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QList<qint64>>("shape");
    QTest::addColumn<qint64>("bytes"); // -1: impossible
    const auto row = [](const char* name, StorageType type, const QList<qint64>& shape, qint64 bytes) {
        QTest::newRow(name) << static_cast<int>(type) << shape << bytes;
    };
    row("scalar", StorageType::f32, {}, 4);
    row("empty", StorageType::f16, { 0, 7 }, 0);
    row("matrix", StorageType::bf16, { 3, 5 }, 30);
    row("blocks", StorageType::q4_k, { 2, 512 }, 576);
    row("rows of broken blocks", StorageType::q4_k, { 4, 128 }, -1);
    row("scalar of blocks", StorageType::q8_0, {}, -1);
    row("negative", StorageType::f32, { -1 }, -1);
    row("count over 63 bits", StorageType::u8, { 1LL << 62, 2 }, -1);
    row("bytes over 63 bits", StorageType::f32, { 1LL << 62 }, -1);
}

void TestDequantize::storedSizes()
{
    QFETCH(int, type);
    QFETCH(QList<qint64>, shape);
    QFETCH(qint64, bytes);
    const TensorInfo tensor { "", static_cast<StorageType>(type), { shape.begin(), shape.end() } };
    QCOMPARE(storedBytes(tensor).value_or(-1), bytes);
}

QTEST_GUILESS_MAIN(TestDequantize)
#include "tst_dequantize.moc"
