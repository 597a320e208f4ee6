#include "core/base/files.h"
#include "core/memory/counting_allocator.h"
#include "core/memory/device.h"
#include "core/ops/nf4_quantizer.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <QCryptographicHash>
#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tunebench;

namespace {

using Shape = std::vector<int64_t>;

nlohmann::json rightValues()
{
    return nlohmann::json::parse(readFile(std::string(TUNEBENCH_TEST_DATA) + "/model/nf4.json").value());
}

/// As tests/data/model/make_model_data.py makes them.
std::vector<float> nf4Numbers(size_t count)
{
    std::vector<float> numbers;
    uint32_t state = 1;
    while (numbers.size() < count) {
        int total = -8190;
        for (int i = 0; i < 4; ++i) {
            state = state * 1664525U + 1013904223U;
            total += static_cast<int>(state >> 20U);
        }
        numbers.push_back(static_cast<float>(total) / 65536);
    }
    return numbers;
}

/// Packs numbers that come in parts of so many.
Nf4Weight packedFrom(
    std::span<const float> numbers, Shape shape, size_t part, std::shared_ptr<const Nf4Tables> tables = nullptr)
{
    Nf4Weight weight = makeNf4Weight(std::move(shape), at::kCPU, std::move(tables));
    Nf4Quantizer quantizer(weight);
    for (size_t first = 0; first < numbers.size(); first += part)
        quantizer.add(numbers.subspan(first, std::min(part, numbers.size() - first)));
    quantizer.finish();
    return weight;
}

QByteArray bytesOf(const at::Tensor& tensor)
{
    return { static_cast<const char*>(tensor.const_data_ptr()), static_cast<qsizetype>(tensor.nbytes()) };
}

QByteArray textOf(const nlohmann::json& json)
{
    return QByteArray::fromStdString(json.get<std::string>());
}

Nf4Weight randomWeight(const Shape& shape, std::shared_ptr<const Nf4Tables> tables)
{
    initializeEngine();
    const auto numbers
        = at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(5), at::TensorOptions().dtype(at::kFloat));
    return packedFrom({ numbers.const_data_ptr<float>(), static_cast<size_t>(numbers.numel()) }, shape, 6400, tables);
}

} // namespace

/// Matrices in 4 bits: as bitsandbytes has them, however they come in and are unpacked.
class TestNf4 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isWhatBitsandbytesHolds_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("part");
        const auto all = rightValues();
        for (const auto& [name, right] : all.items()) {
            for (const int part : { 64, 320, 1 << 20 })
                QTest::addRow("%s in parts of %d", name.c_str(), part) << QString::fromStdString(name) << part;
        }
    }

    void isWhatBitsandbytesHolds()
    {
        QFETCH(QString, name);
        QFETCH(int, part);
        initializeEngine();
        const auto right = rightValues().at(name.toStdString());
        const Shape shape = right.at("shape");
        auto numbers = nf4Numbers(static_cast<size_t>(shape[0] * shape[1]));
        std::fill_n(numbers.begin(), right.at("zeros").get<int>(), 0.0F);
        const Nf4Weight weight = packedFrom(numbers, shape, static_cast<size_t>(part));
        QCOMPARE(bytesOf(weight.packed).toHex(), textOf(right.at("packed")));
        QCOMPARE(bytesOf(weight.scaleCodes).toHex(), textOf(right.at("scale_codes")));
        QCOMPARE(weight.meanScale, right.at("mean_scale").get<float>());
        for (int64_t i = 0; i < weight.groupScales.numel(); ++i)
            QCOMPARE(weight.groupScales[i].item<float>(), right.at("group_scales").at(static_cast<size_t>(i)));
        const auto values = unpacked(weight, at::kFloat);
        QVERIFY(values.sizes() == at::IntArrayRef(shape));
        QCOMPARE(QCryptographicHash::hash(bytesOf(values), QCryptographicHash::Sha256).toHex(),
            textOf(right.at("values_sha256")));
    }

    void operationsUnpackTheSame_data()
    {
        QTest::addColumn<Shape>("shape");
        QTest::newRow("several pieces") << Shape { 1100, 1024 };
        QTest::newRow("groups and blocks at the end") << Shape { 300, 192 };
        QTest::newRow("an odd end") << Shape { 211, 129 };
        QTest::newRow("less than a block") << Shape { 3, 5 };
    }

    void operationsUnpackTheSame()
    {
        QFETCH(Shape, shape);
        const Nf4Weight byKernel = randomWeight(shape, nullptr);
        const Nf4Weight byOperations = randomWeight(shape, nf4Tables(at::kCPU));
        for (const at::ScalarType type : { at::kFloat, at::kHalf, at::kBFloat16 }) {
            const auto values = unpacked(byKernel, type);
            QCOMPARE(values.scalar_type(), type);
            QVERIFY(at::equal(values, unpacked(byOperations, type)));
            QVERIFY(at::equal(values, unpacked(byKernel, at::kFloat).to(type)));
        }
    }

    /// Either way takes the same memory when it runs dry. The scalars of an operation are tensors of their own on the
    /// CPU and not on meta or a card; so a matrix must be larger than they are.
    void unpackingIsPlanned_data()
    {
        QTest::addColumn<Shape>("shape");
        QTest::newRow("several pieces") << Shape { 1100, 1024 };
        QTest::newRow("groups and blocks at the end") << Shape { 300, 192 };
        QTest::newRow("an odd end") << Shape { 211, 129 };
    }

    void unpackingIsPlanned()
    {
        QFETCH(Shape, shape);
        for (const bool byOperations : { false, true }) {
            const auto tablesOn = [&](at::Device device) { return byOperations ? nf4Tables(device) : nullptr; };
            const auto peak = [&](MemoryLedger& ledger, const Nf4Weight& weight) {
                const int64_t before = ledger.allocated();
                ledger.resetPeak();
                unpacked(weight, at::kBFloat16);
                return ledger.peak() - before;
            };
            const Nf4Weight weight = randomWeight(shape, tablesOn(at::kCPU));
            const int64_t measured = peak(cpuLedger(), weight);
            const Nf4Weight dry = makeNf4Weight(shape, at::kMeta, tablesOn(at::kMeta));
            QCOMPARE(peak(metaLedger(), dry), measured);
        }
    }

    void takesFourBitsAndAnEighth()
    {
        initializeEngine();
        const int64_t before = metaLedger().allocated();
        const Nf4Weight weight = makeNf4Weight({ 2048, 2048 }, at::kMeta);
        const auto bytes = static_cast<double>(metaLedger().allocated() - before);
        QCOMPARE(bytes * 8 / static_cast<double>(weight.numbers()), 4 + 8.0 / 64 + 32.0 / (64 * 256));
    }

    void whatIsNotFiniteStaysSo()
    {
        initializeEngine();
        for (const float odd : { std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity() }) {
            auto numbers = nf4Numbers(640);
            numbers[100] = odd;
            const Nf4Weight weight = packedFrom(numbers, { 10, 64 }, 640);
            QVERIFY(!std::isfinite(weight.meanScale));
            QVERIFY(!unpacked(weight, at::kFloat).isfinite().any().item<bool>());
        }
    }
};

QTEST_APPLESS_MAIN(TestNf4)
#include "tst_nf4.moc"
