#include "core/base/files.h"
#include "core/data/micro_batches.h"
#include "core/data/packing.h"

#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace tunebench;

namespace {

using Lengths = std::vector<size_t>;

nlohmann::json rightValues(const char* key)
{
    const auto text = readFile(std::string(TUNEBENCH_TEST_DATA) + "/dataset/batching.json");
    return nlohmann::json::parse(text.value()).at(key);
}

/// The lengths of the rows in each sequence, all in order.
std::vector<Lengths> lengthsIn(const std::vector<Sequence>& sequences, const Lengths& lengths)
{
    std::vector<Lengths> all;
    for (const Sequence& sequence : sequences) {
        Lengths& one = all.emplace_back();
        for (const size_t row : sequence)
            one.push_back(lengths[row]);
        std::ranges::sort(one);
    }
    std::ranges::sort(all);
    return all;
}

} // namespace

class TestPacking : public QObject {
    Q_OBJECT

private slots:
    void packsAsTrl();
    void keepsTheOrder_data();
    void keepsTheOrder();
    void groupsAsTransformers();
    void groupedOrderWastesLess();
    void packedSequencesArePadded();
};

void TestPacking::packsAsTrl()
{
    for (const auto& right : rightValues("packing")) {
        const auto lengths = right.at("lengths").get<Lengths>();
        RunConfig config;
        config.packing = true;
        config.maxLength = right.at("max_length");
        QVERIFY(
            lengthsIn(makeSequences(lengths, config), lengths) == right.at("sequences").get<std::vector<Lengths>>());
        config.packing = false;
        QCOMPARE(makeSequences(lengths, config).size(), lengths.size());
    }
}

void TestPacking::keepsTheOrder_data()
{
    QTest::addColumn<QList<size_t>>("lengths");
    QTest::addColumn<QList<size_t>>("rows"); // in each sequence
    using List = QList<size_t>;
    QTest::newRow("fill up") << List { 4, 4, 3, 7, 10, 1 } << List { 2, 2, 1, 1 };
    QTest::newRow("all in one") << List { 1, 2, 3, 4 } << List { 4 };
    QTest::newRow("none fits another") << List { 9, 8, 7 } << List { 1, 1, 1 };
    QTest::newRow("no rows") << List {} << List {};
}

void TestPacking::keepsTheOrder()
{
    QFETCH(QList<size_t>, lengths);
    RunConfig config;
    config.packing = true;
    config.order = RowOrder::sequential;
    config.maxLength = 10;
    size_t next = 0;
    QList<size_t> rows;
    for (const Sequence& sequence : makeSequences(lengths, config)) {
        rows.push_back(sequence.size());
        for (const size_t row : sequence)
            QCOMPARE(row, next++);
    }
    QCOMPARE(next, static_cast<size_t>(lengths.size()));
    QTEST(rows, "rows");
}

void TestPacking::groupsAsTransformers()
{
    for (const auto& right : rightValues("length_grouped")) {
        const auto lengths = right.at("lengths").get<Lengths>();
        QCOMPARE(groupedByLength(right.at("order").get<Lengths>(), lengths, right.at("batch").get<size_t>()),
            right.at("grouped").get<Lengths>());
    }
    QVERIFY(groupedByLength({}, {}, 4).empty());
}

void TestPacking::groupedOrderWastesLess()
{
    Lengths lengths;
    for (size_t i = 0; i < 256; ++i)
        lengths.push_back(1 + i * i % 509);
    RunConfig config;
    const auto padded = [&](RowOrder order) {
        config.order = order;
        BatchPlan plan(lengths, config);
        size_t taken = 0;
        for (int64_t step = 0; step < plan.counts().stepsPerEpoch; ++step) {
            for (const auto& sequences : plan.microBatches(step)) {
                size_t longest = 0;
                for (const Sequence& sequence : sequences)
                    longest = std::max(longest, lengths[sequence.front()]);
                taken += longest * sequences.size();
            }
        }
        return taken;
    };
    QVERIFY(padded(RowOrder::lengthGrouped) < padded(RowOrder::shuffle));
    config.order = RowOrder::lengthGrouped;
    const auto order = epochOrder(lengths, config, 0);
    QCOMPARE(lengths[order.front()], std::ranges::max(lengths));
    QVERIFY(epochOrder(lengths, config, 1) != order);
}

void TestPacking::packedSequencesArePadded()
{
    const std::vector<TokenRow> rows { { { 10, 11 }, { -100, 11 } }, { { 20 }, { 20 } }, { { 30, 31 }, { 30, 31 } } };
    RunConfig config;
    config.padding = Padding::longest;
    const std::vector<Sequence> sequences { { 0, 1 }, { 2 } };
    const MicroBatch batch = collate(rows, sequences, config, 99);
    using Numbers = std::vector<int64_t>;
    QCOMPARE(batch.ids, (Numbers { 10, 11, 20, 30, 31, 99 }));
    QCOMPARE(batch.positions, (Numbers { 0, 1, 0, 0, 1, 0 }));
    QCOMPARE(batch.targets, (Numbers { 11, -100, -100, 31, -100, -100 }));
    QCOMPARE(batch.segmentStarts, (Numbers { 0, 2, 3, 5, 6 }));
}

QTEST_GUILESS_MAIN(TestPacking)
#include "tst_packing.moc"
