#include "core/memory/caching_allocator.h"

#include <QTest>

using namespace tunebench;

namespace {

constexpr int64_t kibibyte = 1024, mebibyte = 1024 * kibibyte;

} // namespace

/// Cases derived by hand from the rules that the header lists, one or two rules each.
class TestCachingAllocator : public QObject {
    Q_OBJECT

private slots:
    void segmentOfARequest_data()
    {
        QTest::addColumn<qint64>("asked");
        QTest::addColumn<qint64>("allocated");
        QTest::addColumn<qint64>("reserved");
        const auto row = [](const char* rule, int64_t asked, int64_t allocated, int64_t reserved) {
            QTest::newRow(rule) << qint64(asked) << qint64(allocated) << qint64(reserved);
        };
        row("at least 512 bytes", 1, 512, 2 * mebibyte);
        row("a multiple of 512 bytes", 513, 1024, 2 * mebibyte);
        row("1 MiB is small: a segment of 2 MiB", mebibyte, mebibyte, 2 * mebibyte);
        row("a byte more is large: a segment of 20 MiB", mebibyte + 1, mebibyte + 512, 20 * mebibyte);
        row("just below 10 MiB still shares 20 MiB", 10 * mebibyte - 512, 10 * mebibyte - 512, 20 * mebibyte);
        row("10 MiB has a segment of its own", 10 * mebibyte, 10 * mebibyte, 10 * mebibyte);
        row("rounded up to 2 MiB, and 1 MiB or less left over goes with the block", 11 * mebibyte, 12 * mebibyte,
            12 * mebibyte);
        row("more than 1 MiB left over is split off", 10 * mebibyte + 512, 10 * mebibyte + 512, 12 * mebibyte);
    }

    void segmentOfARequest()
    {
        QFETCH(qint64, asked);
        CachingAllocator allocator;
        QVERIFY(allocator.allocate(0, asked));
        QTEST(qint64(allocator.allocated()), "allocated");
        QTEST(qint64(allocator.reserved()), "reserved");
    }

    /// 2 MiB of small blocks fill one segment, one more opens another; both pools are apart.
    void smallBlocksShareASegment()
    {
        CachingAllocator allocator;
        for (uint32_t i = 0; i < 4; ++i)
            QVERIFY(allocator.allocate(i, 512 * kibibyte));
        QCOMPARE(allocator.reserved(), 2 * mebibyte);
        QVERIFY(allocator.allocate(4, 512));
        QCOMPARE(allocator.reserved(), 4 * mebibyte);
        QVERIFY(allocator.allocate(5, 2 * mebibyte));
        QCOMPARE(allocator.reserved(), 24 * mebibyte);
    }

    /// A segment stays after its blocks are given back, and serves again.
    void segmentsAreKept()
    {
        CachingAllocator allocator;
        for (int round = 0; round < 3; ++round) {
            QVERIFY(allocator.allocate(0, 50 * mebibyte));
            allocator.release(0);
        }
        QCOMPARE(allocator.allocated(), int64_t { 0 });
        QCOMPARE(allocator.reserved(), 50 * mebibyte);
    }

    /// The smallest block that is large enough serves: 14 MiB come from the 16, so that 30 still find the 32.
    void bestFit()
    {
        CachingAllocator allocator;
        QVERIFY(allocator.allocate(0, 32 * mebibyte));
        QVERIFY(allocator.allocate(1, 16 * mebibyte));
        allocator.release(0);
        allocator.release(1);
        QVERIFY(allocator.allocate(2, 14 * mebibyte));
        QVERIFY(allocator.allocate(3, 30 * mebibyte));
        QCOMPARE(allocator.reserved(), 48 * mebibyte);
    }

    /// Neighbours that are free become one block: three thirds serve a request for the whole. Across segments they do
    /// not, although addresses follow one another.
    void freeNeighboursJoin()
    {
        CachingAllocator allocator;
        QVERIFY(allocator.allocate(0, 20 * mebibyte));
        allocator.release(0);
        for (uint32_t i = 1; i <= 3; ++i)
            QVERIFY(allocator.allocate(i, 6 * mebibyte));
        QCOMPARE(allocator.reserved(), 20 * mebibyte);
        for (const uint32_t i : { 1U, 3U, 2U })
            allocator.release(i);
        QVERIFY(allocator.allocate(4, 20 * mebibyte));
        QCOMPARE(allocator.reserved(), 20 * mebibyte);
        QVERIFY(allocator.allocate(5, 20 * mebibyte));
        allocator.release(4);
        allocator.release(5);
        QVERIFY(allocator.allocate(6, 40 * mebibyte));
        QCOMPARE(allocator.reserved(), 80 * mebibyte);
    }

    /// A hole that is too small is fragmentation: reserved grows although enough is free.
    void holesAreOfNoUse()
    {
        CachingAllocator allocator;
        QVERIFY(allocator.allocate(0, 20 * mebibyte));
        allocator.release(0);
        QVERIFY(allocator.allocate(1, 8 * mebibyte));
        QVERIFY(allocator.allocate(2, 4 * mebibyte));
        allocator.release(1);
        QVERIFY(allocator.allocate(3, 9 * mebibyte)); // 8 + 8 MiB are free, on both sides of the 4
        QCOMPARE(allocator.reserved(), 40 * mebibyte);
        QCOMPARE(allocator.allocated(), 13 * mebibyte);
    }

    /// At the limit wholly free segments go back to the driver; a segment of which a part is in use does not.
    void freeSegmentsGoBackAtTheLimit()
    {
        CachingAllocator allocator(64 * mebibyte);
        QVERIFY(allocator.allocate(0, 30 * mebibyte));
        QVERIFY(allocator.allocate(1, 2 * mebibyte)); // 20 MiB
        allocator.release(0);
        QVERIFY(allocator.allocate(2, 40 * mebibyte));
        QCOMPARE(allocator.reserved(), 60 * mebibyte);
        QCOMPARE(allocator.peakReserved(), 60 * mebibyte);
        QVERIFY(!allocator.allocate(3, 19 * mebibyte));
        QCOMPARE(allocator.reserved(), 60 * mebibyte);
        QVERIFY(allocator.allocate(3, 18 * mebibyte)); // what the 20 MiB have left
        QCOMPARE(allocator.reserved(), 60 * mebibyte);
    }

    void peakOfATrace()
    {
        const AllocationTrace trace { { .bytes = 100, .block = 0 }, { .bytes = 25 * mebibyte, .block = 1 },
            { .bytes = 25 * mebibyte, .block = 1, .released = true }, { .bytes = 12 * mebibyte, .block = 2 },
            { .bytes = 12 * mebibyte, .block = 3 } };
        // 2 MiB; 26 MiB, which then serves both blocks of 12 MiB
        QCOMPARE(peakReserved(trace), 28 * mebibyte);
    }
};

QTEST_APPLESS_MAIN(TestCachingAllocator)
#include "tst_caching_allocator.moc"
