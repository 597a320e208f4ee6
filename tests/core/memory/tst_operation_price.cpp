#include "core/memory/operation_price.h"
#include "core/memory/step_curve.h"

#include <QTest>

using namespace tunebench;

class TestOperationPrice : public QObject {
    Q_OBJECT

    static TimedOperation product(double rows, double inner, double columns, double seconds, bool first = false)
    {
        return { { .kind = "mm",
                     .calls = 1,
                     .shapes = first ? 1.0 : 0.0,
                     .flops = 2 * rows * inner * columns,
                     .elements = rows * inner * columns / std::min({ rows, inner, columns }) },
            seconds };
    }

    static double trueSeconds(double rows, double inner, double columns)
    {
        return 2e-6 + 2 * rows * inner * columns * 1e-11
            + rows * inner * columns / std::min({ rows, inner, columns }) * 3e-10;
    }

private slots:
    /// Times made by known prices give these prices back, and those of shapes that were not timed.
    void pricesAreFound()
    {
        std::vector<TimedOperation> timed;
        for (const double rows : { 32.0, 300.0, 900.0 }) {
            for (const double columns : { 8.0, 64.0, 512.0, 2000.0 }) {
                const double seconds = trueSeconds(rows, 512, columns);
                timed.push_back(product(rows, 512, columns, seconds + 5e-4, true));
                for (int i = 0; i < 3; ++i)
                    timed.push_back(product(rows, 512, columns, seconds));
            }
        }
        timed.push_back({ { .kind = "copy", .calls = 1, .bytes = 1e6 }, 1e-4 });
        timed.push_back({ { .kind = "copy", .calls = 1, .bytes = 3e6 }, 3e-4 });
        const auto prices = fitPrices(timed);
        QCOMPARE(prices.size(), size_t { 2 });
        const auto expect = [&](const OperationCount& work, double seconds) {
            const double predicted = secondsOf(std::vector { work }, prices);
            QVERIFY2(std::abs(predicted - seconds) < 0.01 * seconds,
                qPrintable(QStringLiteral("%1 for %2").arg(predicted).arg(seconds)));
        };
        expect(product(123, 512, 1700, 0).work, trueSeconds(123, 512, 1700));
        expect(product(700, 700, 16, 0, true).work, trueSeconds(700, 700, 16) + 5e-4);
        expect({ .kind = "copy", .calls = 2, .bytes = 2e6 }, 2e-4);
    }

    /// Of one size alone the bytes are what the time is put down to.
    void oneSize()
    {
        const std::vector<TimedOperation> timed { { { .kind = "update", .calls = 1, .elements = 1e6, .bytes = 4e6 },
            2e-3 } };
        const OperationCount half { .kind = "update", .calls = 1, .elements = 5e5, .bytes = 2e6 };
        QCOMPARE(secondsOf(std::vector { half }, fitPrices(timed)), 1e-3);
    }

    /// What happened beside a few of the timings does not count; that operations differ does.
    void disturbances()
    {
        std::vector<TimedOperation> timed;
        for (const double seconds : { 1e-3, 9e-1, 2e-3, 1e-3, 2e-3, 1e-3, 2e-3, 1e-3, 2e-3, 5e-1, 1e-3, 2e-3 })
            timed.push_back({ { .kind = "copy", .calls = 1, .bytes = 1e6 }, seconds });
        const OperationCount ten { .kind = "copy", .calls = 10, .bytes = 1e7 };
        const double seconds = secondsOf(std::vector { ten }, fitPrices(timed));
        QVERIFY2(seconds > 1.3e-2 && seconds < 1.9e-2, qPrintable(QString::number(seconds)));
    }

    void nothingIsBelowZero()
    {
        const std::vector<TimedOperation> timed { { { .kind = "view", .calls = 1, .bytes = 1e3 }, 3e-6 },
            { { .kind = "view", .calls = 1, .bytes = 1e6 }, 1e-6 } };
        const auto prices = fitPrices(timed);
        QVERIFY(prices.front().byte >= 0 && prices.front().call > 0);
    }

    /// An operation of a kind that was never timed costs what others do for its work.
    void unknownKinds()
    {
        const std::vector<OperationPrice> prices { { .kind = "a", .call = 1e-6, .byte = 1e-9 },
            { .kind = "b", .call = 2e-6, .byte = 2e-9 }, { .kind = "c", .call = 9e-6, .byte = 9e-9 } };
        QCOMPARE(secondsOf(std::vector<OperationCount> { { .kind = "d", .calls = 1, .bytes = 1e6 } }, prices),
            2e-6 + 1e6 * 2e-9);
        const std::vector<OperationPrice> products { { .kind = "e", .call = 1e-6, .flop = 1e-11 },
            { .kind = "f", .call = 1e-6, .element = 1e-9 }, { .kind = "g", .call = 1e-6, .byte = 1e-9 } };
        QCOMPARE(secondsOf(std::vector<OperationCount> { { .kind = "h", .calls = 1, .flops = 1e9, .elements = 1e6 } },
                     products),
            1e-6 + 1e9 * 1e-11 + 1e6 * 1e-9);
        QCOMPARE(secondsOf({}, prices), 0.0);
    }

    void curve()
    {
        const MemoryPlace one { 0, "mlp", "forward" }, other { -1, "clip", "update" };
        const AllocationTrace trace { { 100, 0, false, one }, { 50, 1, false, one }, { 50, 1, true, one },
            { 10, 2, false, other }, { 100, 0, true, other } };
        const auto points = stepCurve(trace, 64, 1000);
        QCOMPARE(points.size(), size_t { 2 });
        QVERIFY(points[0].place == one && points[1].place == other);
        QCOMPARE(points[0].peak, int64_t { 1000 + 128 + 64 });
        QCOMPARE(points[0].after, int64_t { 1128 });
        QCOMPARE(points[1].peak, int64_t { 1192 });
        QCOMPARE(points[1].after, int64_t { 1064 });
    }
};

QTEST_APPLESS_MAIN(TestOperationPrice)
#include "tst_operation_price.moc"
