#include "core/data/micro_batches.h"
#include "core/data/permutation.h"
#include "core/data/split_micro_batch.h"

#include <QTest>
#include <algorithm>
#include <set>

using namespace tunebench;

namespace {

/// A row whose ids are first, first + 1, ...; the first `prompt` tokens are not supervised.
TokenRow row(TokenId first, size_t length, size_t prompt)
{
    TokenRow made;
    for (size_t i = 0; i < length; ++i) {
        made.ids.push_back(first + static_cast<TokenId>(i));
        made.labels.push_back(i < prompt ? ignoredLabel : made.ids.back());
    }
    return made;
}

using Numbers = std::vector<int64_t>;

} // namespace

class TestMicroBatches : public QObject {
    Q_OBJECT

private slots:
    void counts_data();
    void counts();
    void everyRowOnceAnEpoch_data();
    void everyRowOnceAnEpoch();
    void orderDependsOnSeedAndEpoch();
    void permutationIsFixed();
    void permutationIsFair();
    void collatesWithoutPadding();
    void pads_data();
    void pads();
    void heldOut_data();
    void heldOut();
    void splits();
    void halves_data();
    void halves();
    void oneRowHasNoHalves();
};

void TestMicroBatches::counts_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<qint64>("accumulation");
    QTest::addColumn<double>("epochs");
    QTest::addColumn<qint64>("maxSteps"); // 0: none
    QTest::addColumn<qint64>("perEpoch");
    QTest::addColumn<qint64>("total");
    QTest::newRow("3,200 at 2 x 8") << 3200LL << 2LL << 8LL << 1.0 << 0LL << 200LL << 200LL;
    QTest::newRow("10,000 at 10 x 1") << 10'000LL << 10LL << 1LL << 1.0 << 0LL << 1000LL << 1000LL;
    QTest::newRow("a smaller last group") << 5LL << 1LL << 4LL << 2.0 << 0LL << 2LL << 4LL;
    QTest::newRow("fewer than one group") << 3LL << 4LL << 4LL << 1.0 << 0LL << 1LL << 1LL;
    QTest::newRow("no rows") << 0LL << 4LL << 4LL << 1.0 << 0LL << 0LL << 0LL;
    QTest::newRow("half an epoch") << 100LL << 1LL << 1LL << 0.5 << 0LL << 100LL << 50LL;
    QTest::newRow("a part of a step") << 100LL << 10LL << 1LL << 0.11 << 0LL << 10LL << 2LL;
    QTest::newRow("0.07 x 100 is 7") << 100LL << 1LL << 1LL << 0.07 << 0LL << 100LL << 7LL;
    QTest::newRow("the smallest share") << 100LL << 1LL << 1LL << 1e-9 << 0LL << 100LL << 1LL;
    QTest::newRow("max_steps first") << 100LL << 1LL << 1LL << 3.0 << 20LL << 100LL << 20LL;
    QTest::newRow("epochs first") << 100LL << 10LL << 1LL << 3.0 << 1000LL << 10LL << 30LL;
    QTest::newRow("very many epochs") << 100LL << 1LL << 1LL << 1e300 << 7LL << 100LL << 7LL;
}

void TestMicroBatches::counts()
{
    QFETCH(qint64, rows);
    QFETCH(qint64, batch);
    QFETCH(qint64, accumulation);
    QFETCH(double, epochs);
    QFETCH(qint64, maxSteps);
    RunConfig config;
    config.batchSize = batch;
    config.accumulationSteps = accumulation;
    config.epochs = epochs;
    if (maxSteps > 0)
        config.maxSteps = maxSteps;
    const StepCounts counted = countSteps(rows, config);
    QCOMPARE(counted.effectiveBatch, batch * accumulation);
    QTEST(qint64(counted.stepsPerEpoch), "perEpoch");
    QTEST(qint64(counted.totalSteps), "total");
}

void TestMicroBatches::everyRowOnceAnEpoch_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<qint64>("accumulation");
    QTest::addColumn<int>("smallest"); // micro-batch of the epoch's last step
    QTest::newRow("even") << 32LL << 4LL << 2LL << 4;
    QTest::newRow("last group smaller") << 27LL << 4LL << 2LL << 3;
    QTest::newRow("last group one row") << 9LL << 4LL << 2LL << 1;
    QTest::newRow("one group, not full") << 3LL << 4LL << 4LL << 3;
    QTest::newRow("rows one by one") << 5LL << 1LL << 4LL << 1;
}

void TestMicroBatches::everyRowOnceAnEpoch()
{
    QFETCH(qint64, rows);
    QFETCH(qint64, batch);
    QFETCH(qint64, accumulation);
    QFETCH(int, smallest);
    RunConfig config;
    config.batchSize = batch;
    config.accumulationSteps = accumulation;
    const auto count = static_cast<size_t>(rows);
    const int64_t steps = countSteps(rows, config).stepsPerEpoch;
    const std::vector<size_t> lengths(count, 10);
    BatchPlan plan(lengths, config);
    QCOMPARE(plan.counts().stepsPerEpoch, steps);
    for (int64_t epoch = 0; epoch < 2; ++epoch) {
        std::vector<size_t> seen;
        size_t last = 0;
        for (int64_t step = epoch * steps; step < (epoch + 1) * steps; ++step) {
            const auto microBatches = plan.microBatches(step);
            QVERIFY(!microBatches.empty() && microBatches.size() <= static_cast<size_t>(accumulation));
            for (const auto& sequences : microBatches) {
                QVERIFY(!sequences.empty() && sequences.size() <= static_cast<size_t>(batch));
                for (const Sequence& sequence : sequences)
                    seen.insert(seen.end(), sequence.begin(), sequence.end());
                last = sequences.size();
            }
        }
        QCOMPARE(seen, epochOrder(lengths, config, epoch));
        QCOMPARE(last, static_cast<size_t>(smallest));
        std::sort(seen.begin(), seen.end());
        for (size_t i = 0; i < count; ++i)
            QCOMPARE(seen[i], i);
    }
    QVERIFY(BatchPlan({}, config).microBatches(0).empty());
}

void TestMicroBatches::orderDependsOnSeedAndEpoch()
{
    RunConfig config;
    const std::vector<size_t> lengths(100, 10);
    const auto first = epochOrder(lengths, config, 0);
    QCOMPARE(epochOrder(lengths, config, 0), first);
    QVERIFY(epochOrder(lengths, config, 1) != first);
    config.seed = 43;
    QVERIFY(epochOrder(lengths, config, 0) != first);
    config.order = RowOrder::sequential;
    const auto sequential = epochOrder(lengths, config, 5);
    QVERIFY(std::is_sorted(sequential.begin(), sequential.end()));

    // Neither a neighbour's seed nor a neighbour's epoch repeats an order.
    std::set<std::vector<size_t>> orders;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        for (uint64_t epoch = 0; epoch < 30; ++epoch)
            orders.insert(permutation(20, seed, epoch));
    }
    QCOMPARE(orders.size(), size_t { 900 });
}

void TestMicroBatches::permutationIsFixed()
{
    // A run must see the same order on every machine and in every later version: these values never change.
    QCOMPARE(permutation(8, 42, 0), (std::vector<size_t> { 3, 5, 7, 2, 4, 0, 6, 1 }));
    QCOMPARE(permutation(8, 42, 1), (std::vector<size_t> { 7, 2, 6, 5, 1, 3, 0, 4 }));
    QVERIFY(permutation(0, 1, 1).empty());
    QCOMPARE(permutation(1, 1, 1), std::vector<size_t> { 0 });
}

void TestMicroBatches::permutationIsFair()
{
    constexpr size_t count = 6;
    constexpr int draws = 60'000;
    int at[count][count] = {};
    for (int draw = 0; draw < draws; ++draw) {
        const auto order = permutation(count, 7, static_cast<uint64_t>(draw));
        for (size_t i = 0; i < count; ++i)
            ++at[i][order[i]];
    }
    for (const auto& places : at) {
        for (const int found : places)
            QVERIFY(std::abs(found - draws / 6) < 500); // 5 standard deviations of 91
    }
}

void TestMicroBatches::collatesWithoutPadding()
{
    const std::vector<TokenRow> rows { row(10, 4, 2), row(20, 1, 0), row(30, 3, 0) };
    const std::vector<Sequence> sequences { { 2 }, { 0, 1 } };
    const MicroBatch batch = collate(rows, sequences, RunConfig(), 99);
    QCOMPARE(batch.ids, (Numbers { 30, 31, 32, 10, 11, 12, 13, 20 }));
    QCOMPARE(batch.positions, (Numbers { 0, 1, 2, 0, 1, 2, 3, 0 }));
    QCOMPARE(batch.targets, (Numbers { 31, 32, -100, -100, 12, 13, -100, -100 }));
    QCOMPARE(batch.segmentStarts, (Numbers { 0, 3, 7, 8 }));
    QCOMPARE(batch.tokens, int64_t { 8 });
    QCOMPARE(batch.supervised, int64_t { 4 });
}

void TestMicroBatches::pads_data()
{
    QTest::addColumn<int>("padding");
    QTest::addColumn<int>("side");
    QTest::addColumn<QList<qint64>>("ids");
    QTest::addColumn<QList<qint64>>("positions");
    QTest::addColumn<QList<qint64>>("targets");
    QTest::addColumn<QList<qint64>>("starts");
    using Values = QList<qint64>;
    QTest::newRow("longest, right") << int(Padding::longest) << int(PaddingSide::right)
                                    << Values { 10, 11, 12, 20, 99, 99 } << Values { 0, 1, 2, 0, 0, 1 }
                                    << Values { 11, 12, -100, -100, -100, -100 } << Values { 0, 3, 4, 6 };
    QTest::newRow("longest, left") << int(Padding::longest) << int(PaddingSide::left)
                                   << Values { 10, 11, 12, 99, 99, 20 } << Values { 0, 1, 2, 0, 1, 0 }
                                   << Values { 11, 12, -100, -100, -100, -100 } << Values { 0, 3, 5, 6 };
    QTest::newRow("max_length, right") << int(Padding::maxLength) << int(PaddingSide::right)
                                       << Values { 10, 11, 12, 99, 20, 99, 99, 99 } << Values { 0, 1, 2, 0, 0, 0, 1, 2 }
                                       << Values { 11, 12, -100, -100, -100, -100, -100, -100 }
                                       << Values { 0, 3, 4, 5, 8 };
    QTest::newRow("max_length, left") << int(Padding::maxLength) << int(PaddingSide::left)
                                      << Values { 99, 10, 11, 12, 99, 99, 99, 20 } << Values { 0, 0, 1, 2, 0, 1, 2, 0 }
                                      << Values { -100, 11, 12, -100, -100, -100, -100, -100 }
                                      << Values { 0, 1, 4, 7, 8 };
}

void TestMicroBatches::pads()
{
    QFETCH(int, padding);
    QFETCH(int, side);
    RunConfig config;
    config.padding = static_cast<Padding>(padding);
    config.paddingSide = static_cast<PaddingSide>(side);
    config.maxLength = 4;
    const std::vector<TokenRow> rows { row(10, 3, 0), row(20, 1, 0) };
    const std::vector<Sequence> sequences { { 0 }, { 1 } };
    const MicroBatch batch = collate(rows, sequences, config, 99);
    const auto list = [](const Numbers& values) { return QList<qint64>(values.begin(), values.end()); };
    QTEST(list(batch.ids), "ids");
    QTEST(list(batch.positions), "positions");
    QTEST(list(batch.targets), "targets");
    QTEST(list(batch.segmentStarts), "starts");
    QCOMPARE(batch.tokens, int64_t { 4 });
    QCOMPARE(batch.supervised, int64_t { 2 });
}

void TestMicroBatches::heldOut_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<double>("share");
    QTest::addColumn<qint64>("count");
    QTest::newRow("rounded") << 999LL << 0.05 << 50LL;
    QTest::newRow("none") << 999LL << 0.0 << 0LL;
    QTest::newRow("at least 8") << 60LL << 0.05 << 8LL;
    QTest::newRow("at most 200") << 100'000LL << 0.05 << 200LL;
    QTest::newRow("at most half") << 11LL << 0.05 << 5LL;
    QTest::newRow("one row") << 1LL << 0.05 << 0LL;
    QTest::newRow("no rows") << 0LL << 0.05 << 0LL;
    QTest::newRow("everything") << 20LL << 1.0 << 10LL;
}

void TestMicroBatches::heldOut()
{
    QFETCH(qint64, rows);
    QFETCH(double, share);
    QTEST(qint64(heldOutCount(rows, share)), "count");
}

void TestMicroBatches::splits()
{
    std::vector<TokenRow> rows;
    for (TokenId i = 0; i < 100; ++i)
        rows.push_back(row(i, 1, 0));
    RunConfig config;
    const Split split = splitRows(rows, {}, config);
    QCOMPARE(split.heldOut.size(), size_t { 8 });
    QCOMPARE(split.training.size(), size_t { 92 });
    std::set<TokenId> all;
    for (const auto* part : { &split.training, &split.heldOut }) {
        QVERIFY(std::is_sorted(part->begin(), part->end(), [](const auto& a, const auto& b) { return a.ids < b.ids; }));
        for (const auto& one : *part)
            all.insert(one.ids[0]);
    }
    QCOMPARE(all.size(), size_t { 100 });
    QCOMPARE(splitRows(rows, {}, config).heldOut[3].ids, split.heldOut[3].ids);
    config.seed = 1;
    bool same = true;
    const Split other = splitRows(rows, {}, config);
    for (size_t i = 0; i < 8; ++i)
        same = same && other.heldOut[i].ids == split.heldOut[i].ids;
    QVERIFY(!same);
    const Split given = splitRows(rows, std::vector<TokenRow> { row(500, 2, 0) }, config);
    QCOMPARE(given.training.size(), size_t { 100 });
    QCOMPARE(given.heldOut.size(), size_t { 1 });
}

void TestMicroBatches::halves_data()
{
    QTest::addColumn<int>("padding");
    QTest::addColumn<int>("side");
    QTest::newRow("none") << static_cast<int>(Padding::none) << static_cast<int>(PaddingSide::right);
    QTest::newRow("longest") << static_cast<int>(Padding::longest) << static_cast<int>(PaddingSide::right);
    QTest::newRow("longest, left") << static_cast<int>(Padding::longest) << static_cast<int>(PaddingSide::left);
}

/// Cut again and again, the parts are single rows, and side by side they are the whole.
void TestMicroBatches::halves()
{
    QFETCH(int, padding);
    QFETCH(int, side);
    RunConfig config;
    config.padding = static_cast<Padding>(padding);
    config.paddingSide = static_cast<PaddingSide>(side);
    const std::vector rows { row(10, 4, 1), row(30, 7, 3), row(50, 2, 1), row(70, 5, 0), row(90, 3, 2) };
    const MicroBatch whole = collate(rows, std::vector<Sequence> { { 0 }, { 1 }, { 2 }, { 3 }, { 4 } }, config, 0);
    QCOMPARE(rowLengths(whole), (Numbers { 4, 7, 2, 5, 3 }));
    const auto again = rowsOf(whole);
    QCOMPARE(again.size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        QCOMPARE(again[i].ids, rows[i].ids);
        QVERIFY(std::equal(again[i].labels.begin() + 1, again[i].labels.end(), rows[i].labels.begin() + 1));
    }
    std::vector<MicroBatch> parts { whole };
    for (size_t i = 0; i < parts.size();) {
        auto cut = halved(parts[i], config.paddingSide);
        if (!cut) {
            ++i;
            continue;
        }
        QCOMPARE(rowLengths(cut->first).size(), rowLengths(parts[i]).size() / 2);
        parts[i] = std::move(cut->first);
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(cut->second));
    }
    QCOMPARE(parts.size(), rows.size());
    MicroBatch joined;
    joined.segmentStarts = { 0 };
    for (const MicroBatch& part : parts) {
        QCOMPARE(part.slotsBefore, std::ssize(joined.ids));
        QCOMPARE(part.slotsBefore + std::ssize(part.ids) + part.slotsAfter, std::ssize(whole.ids));
        QCOMPARE(rowLengths(part).size(), size_t { 1 });
        QVERIFY(config.padding == Padding::none || part.ids.size() == 7);
        for (size_t i = 1; i < part.segmentStarts.size(); ++i)
            joined.segmentStarts.push_back(part.slotsBefore + part.segmentStarts[i]);
        joined.ids.insert(joined.ids.end(), part.ids.begin(), part.ids.end());
        joined.positions.insert(joined.positions.end(), part.positions.begin(), part.positions.end());
        joined.targets.insert(joined.targets.end(), part.targets.begin(), part.targets.end());
        joined.tokens += part.tokens;
        joined.supervised += part.supervised;
    }
    QCOMPARE(joined.ids, whole.ids);
    QCOMPARE(joined.positions, whole.positions);
    QCOMPARE(joined.targets, whole.targets);
    QCOMPARE(joined.segmentStarts, whole.segmentStarts);
    QCOMPARE(joined.tokens, whole.tokens);
    QCOMPARE(joined.supervised, whole.supervised);
}

void TestMicroBatches::oneRowHasNoHalves()
{
    const std::vector rows { row(10, 4, 1) };
    RunConfig config;
    config.padding = Padding::maxLength;
    config.maxLength = 9;
    QVERIFY(!halved(collate(rows, std::vector<Sequence> { { 0 } }, config, 0), PaddingSide::right));
    TokenRow pair = row(10, 9, 2);
    pair.rejected = 5;
    QVERIFY(!halved(collate(std::vector { pair }, std::vector<Sequence> { { 0 } }, config, 0), PaddingSide::right));
}

QTEST_GUILESS_MAIN(TestMicroBatches)
#include "tst_micro_batches.moc"
