#include "core/memory/published_speed.h"

#include <QTest>

using namespace tunebench;

class TestPublishedSpeed : public QObject {
    Q_OBJECT

    /// A byte a nanosecond, a fp32 product in the same time, four of fp16.
    static Card card(bool bf16)
    {
        return { .name = "made up", .bf16 = bf16, .bytesPerSecond = 1e9, .fp32Flops = 1e9, .fp16Flops = 4e9 };
    }

private slots:
    void secondsAreThoseOfTheSlowestPart_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<double>("flops");
        QTest::addColumn<double>("elements");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("seconds");
        QTest::newRow("product in fp32") << "aten::mm Float" << 3e9 << 1e6 << 0.0 << 3.0;
        QTest::newRow("product in fp16") << "aten::bmm Half" << 8e9 << 1e6 << 0.0 << 2.0;
        QTest::newRow("product in bf16") << "aten::addmm_ BFloat16" << 4e9 << 1e6 << 0.0 << 1.0;
        QTest::newRow("a thin product waits for memory") << "aten::mm Half" << 4e9 << 3e9 << 0.0 << 6.0;
        QTest::newRow("numbers of four bytes") << "aten::mm Float" << 1e9 << 1e9 << 0.0 << 4.0;
        QTest::newRow("all else waits for memory") << "aten::mul_ Float parallel" << 0.0 << 0.0 << 5e9 << 5.0;
        QTest::newRow("a lookup reads a few rows") << "aten::embedding Half parallel" << 0.0 << 0.0 << 5e9 << 0.0;
        QTest::newRow("its gradient does not") << "aten::embedding_dense_backward Half" << 0.0 << 0.0 << 5e9 << 5.0;
        QTest::newRow("nothing is written") << "aten::empty Float parallel" << 0.0 << 0.0 << 5e9 << 0.0;
    }

    void secondsAreThoseOfTheSlowestPart()
    {
        QFETCH(QString, kind);
        QFETCH(double, flops);
        QFETCH(double, elements);
        QFETCH(double, bytes);
        const std::vector<OperationCount> counts {
            { .kind = kind.toStdString(), .calls = 1, .flops = flops, .elements = elements, .bytes = bytes }
        };
        QTEST(secondsAtBest(counts, card(true)).value_or(-1), "seconds");
    }

    void operationsFollowOneAnother()
    {
        const std::vector<OperationCount> counts { { .kind = "aten::mm Float", .flops = 1e9 },
            { .kind = "aten::add_ Float", .bytes = 2e9 }, { .kind = "aten::mm Half", .flops = 2e9 } };
        QCOMPARE(secondsAtBest(counts, card(false)).value_or(-1), 3.5);
    }

    void aTypeThatTheCardHasNotHasNoTime()
    {
        const std::vector<OperationCount> counts { { .kind = "aten::mm BFloat16", .flops = 1 } };
        QVERIFY(!secondsAtBest(counts, card(false)));
        QVERIFY(secondsAtBest(counts, card(true)));
    }
};

QTEST_APPLESS_MAIN(TestPublishedSpeed)
#include "tst_published_speed.moc"
