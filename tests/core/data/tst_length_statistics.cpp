#include "core/data/length_statistics.h"
#include "core/data/padding_waste.h"
#include "core/data/truncation.h"

#include <QTest>

using namespace tunebench;

namespace {

RowExtent extent(uint32_t tokens, uint32_t firstTarget, uint32_t lastTarget)
{
    return { tokens, lastTarget - firstTarget + 1, firstTarget, lastTarget };
}

std::vector<RowExtent> extents(const QList<int>& lengths)
{
    std::vector<RowExtent> rows;
    for (const int length : lengths)
        rows.push_back(extent(static_cast<uint32_t>(length), 1, static_cast<uint32_t>(length) - 1));
    return rows;
}

} // namespace

class TestLengthStatistics : public QObject {
    Q_OBJECT

private slots:
    void summary_data();
    void summary();
    void cutsAreWhatTruncationDoes_data();
    void cutsAreWhatTruncationDoes();
    void onlyTrainingRowsAreWasted();
    void waste_data();
    void waste();
    void histogram_data();
    void histogram();
};

void TestLengthStatistics::summary_data()
{
    QTest::addColumn<QList<int>>("lengths");
    QTest::addColumn<double>("mean");
    QTest::addColumn<QList<qint64>>("ranks"); // p50, p90, p95, p99, longest
    QTest::addColumn<qint64>("suggested");
    QList<int> hundred;
    for (int i = 100; i > 0; --i)
        hundred.push_back(i);
    QTest::newRow("1 to 100") << hundred << 50.5 << QList<qint64> { 50, 90, 95, 99, 100 } << qint64(96);
    QTest::newRow("one row") << QList<int> { 7 } << 7.0 << QList<qint64> { 7, 7, 7, 7, 7 } << qint64(8);
    QTest::newRow("a multiple of 8 stays")
        << QList<int> { 64, 64 } << 64.0 << QList<qint64> { 64, 64, 64, 64, 64 } << qint64(64);
    QTest::newRow("no rows") << QList<int> {} << 0.0 << QList<qint64> { 0, 0, 0, 0, 0 } << qint64(0);
}

void TestLengthStatistics::summary()
{
    QFETCH(QList<int>, lengths);
    const LengthSummary found = summarizeLengths(extents(lengths));
    QTEST(found.mean, "mean");
    QTEST((QList<qint64> { found.p50, found.p90, found.p95, found.p99, found.longest }), "ranks");
    QTEST(qint64(found.suggestedMaxLength()), "suggested");
}

void TestLengthStatistics::cutsAreWhatTruncationDoes_data()
{
    QTest::addColumn<int>("maxLength");
    QTest::addColumn<bool>("left");
    for (int maxLength = 2; maxLength <= 9; ++maxLength) {
        for (const bool left : { false, true })
            QTest::addRow("%d, %s", maxLength, left ? "left" : "right") << maxLength << left;
    }
}

void TestLengthStatistics::cutsAreWhatTruncationDoes()
{
    QFETCH(int, maxLength);
    QFETCH(bool, left);
    const Truncation side = left ? Truncation::left : Truncation::right;
    std::vector<RowExtent> rows;
    CutCounts expected;
    for (uint32_t tokens = 2; tokens <= 9; ++tokens) {
        for (uint32_t first = 1; first < tokens; ++first) {
            for (uint32_t last = first; last < tokens; ++last) {
                rows.push_back(extent(tokens, first, last));
                TokenRow row { std::vector<TokenId>(tokens, 5), std::vector<TokenId>(tokens, ignoredLabel) };
                std::fill(row.labels.begin() + first, row.labels.begin() + last + 1, 5);
                expected.rows += tokens > static_cast<uint32_t>(maxLength);
                expected.tokens += std::max<int64_t>(0, int64_t { tokens } - maxLength);
                const auto cut = truncateRow(row, maxLength, side);
                expected.nothingLeft += !cut;
                expected.answers += !cut || cut->answer;

                const auto kept = truncatedExtent(rows.back(), maxLength, side);
                QCOMPARE(kept.has_value(), cut.has_value());
                if (!kept)
                    continue;
                QCOMPARE(size_t { kept->tokens }, row.ids.size());
                const auto supervised = std::count_if(
                    row.labels.begin() + 1, row.labels.end(), [](TokenId label) { return label != ignoredLabel; });
                QCOMPARE(qint64(kept->supervised), qint64(supervised));
                QVERIFY(row.labels.at(kept->firstTarget) == 5 && row.labels.at(kept->lastTarget) == 5);
            }
        }
    }
    const CutCounts found = countCuts(rows, maxLength, side);
    QCOMPARE(found.rows, expected.rows);
    QCOMPARE(found.tokens, expected.tokens);
    QCOMPARE(found.answers, expected.answers);
    QCOMPARE(found.nothingLeft, expected.nothingLeft);
}

void TestLengthStatistics::onlyTrainingRowsAreWasted()
{
    std::vector<RowExtent> rows;
    for (uint32_t tokens = 1; tokens <= 100; ++tokens)
        rows.push_back({ tokens + 1, 1, 1, 1 });
    RunConfig config;
    config.evalShare = 0.1;
    const auto training = trainingExtents(rows, config);
    const auto isHeldOut = drawHeldOut(rows.size(), config);
    QCOMPARE(training.size(), size_t { 90 });
    for (size_t i = 0, next = 0; i < rows.size(); ++i) {
        if (!isHeldOut[i])
            QCOMPARE(training[next++].tokens, rows[i].tokens);
    }
    config.evalDataset = { "other.jsonl" };
    QCOMPARE(trainingExtents(rows, config).size(), size_t { 100 });
    config.maxRows = 30;
    QCOMPARE(trainingExtents(rows, config).size(), size_t { 30 });
    config.maxLength = 10;
    config.truncation = Truncation::drop;
    QCOMPARE(trainingExtents(rows, config).size(), size_t { 9 });
    config.objective = Objective::dpo; // of the pair of rows of 10 and 11 tokens one is too long
    QCOMPARE(trainingExtents(rows, config).size(), size_t { 8 });

    config.batchSize = 3;
    const auto wastes = wastesByBatch(rows, config);
    QCOMPARE(wastes.size(), 6 * wasteOrders.size());
    QCOMPARE(wastes[6].batchSize, 3);
    QVERIFY(std::ranges::is_sorted(wastes, {}, &WasteByBatch::batchSize));
}

void TestLengthStatistics::waste_data()
{
    QTest::addColumn<QList<int>>("lengths");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("maxLength");
    QTest::addColumn<bool>("packing");
    QTest::addColumn<qint64>("tokens");
    QTest::addColumn<qint64>("padded");
    QTest::addColumn<double>("share");
    QTest::newRow("2000, 200, 200, 200") << QList<int> { 2000, 200, 200, 200 } << 4 << 4096 << false << qint64(2600)
                                         << qint64(8000) << 0.675;
    QTest::newRow("one by one") << QList<int> { 2000, 200, 200, 200 } << 1 << 4096 << false << qint64(2600)
                                << qint64(2600) << 0.0;
    QTest::newRow("cut") << QList<int> { 2000, 200, 200, 200 } << 4 << 200 << false << qint64(800) << qint64(800)
                         << 0.0;
    QTest::newRow("packed") << QList<int> { 100, 200, 450, 400 } << 2 << 500 << true << qint64(1150) << qint64(1300)
                            << 150.0 / 1300;
    QTest::newRow("no rows") << QList<int> {} << 4 << 512 << false << qint64(0) << qint64(0) << 0.0;
}

void TestLengthStatistics::waste()
{
    QFETCH(QList<int>, lengths);
    QFETCH(int, batch);
    QFETCH(int, maxLength);
    QFETCH(bool, packing);
    RunConfig config;
    config.batchSize = batch;
    config.maxLength = maxLength;
    config.order = RowOrder::sequential;
    config.packing = packing;
    const PaddingWaste found = paddingWaste(extents(lengths), config);
    QTEST(qint64(found.tokens), "tokens");
    QTEST(qint64(found.paddedTokens), "padded");
    QTEST(found.share(), "share");
}

void TestLengthStatistics::histogram_data()
{
    QTest::addColumn<QList<int>>("lengths");
    QTest::addColumn<int>("bins");
    QTest::addColumn<qint64>("width");
    QTest::addColumn<QList<qint64>>("counts");
    QTest::newRow("single tokens") << QList<int> { 1, 3, 3 } << 10 << qint64(1) << QList<qint64> { 0, 1, 0, 2 };
    QTest::newRow("width 4") << QList<int> { 3, 4, 15 } << 4 << qint64(4) << QList<qint64> { 1, 1, 0, 1 };
    QTest::newRow("the longest is in the last bin") << QList<int> { 16 } << 4 << qint64(8) << QList<qint64> { 0, 0, 1 };
    QTest::newRow("no rows") << QList<int> {} << 4 << qint64(1) << QList<qint64> { 0 };
}

void TestLengthStatistics::histogram()
{
    QFETCH(QList<int>, lengths);
    QFETCH(int, bins);
    const LengthHistogram found = lengthHistogram(extents(lengths), static_cast<size_t>(bins));
    QTEST(qint64(found.width), "width");
    QTEST((QList<qint64>(found.counts.begin(), found.counts.end())), "counts");
}

QTEST_GUILESS_MAIN(TestLengthStatistics)
#include "tst_length_statistics.moc"
