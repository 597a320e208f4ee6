#include "core/memory/memory_ledger.h"

#include <QTest>

using namespace tunebench;

/// Bytes that are live, by category, their peak, and the limit.
class TestMemoryLedger : public QObject {
    Q_OBJECT

private slots:
    void ledgerCountsByCategory()
    {
        MemoryLedger ledger;
        QCOMPARE(MemoryLedger::rounded(1), int64_t { 64 });
        QCOMPARE(MemoryLedger::rounded(128), int64_t { 128 });
        QVERIFY(ledger.add(640, MemoryCategory::weights));
        QVERIFY(ledger.add(128, MemoryCategory::temporary));
        ledger.subtract(128, MemoryCategory::temporary);
        QCOMPARE(ledger.allocated(), int64_t { 640 });
        QCOMPARE(ledger.peak(), int64_t { 768 });
        QCOMPARE(ledger.breakdownAtPeak()[static_cast<size_t>(MemoryCategory::temporary)], int64_t { 128 });
        ledger.setLimit(700);
        QVERIFY(!ledger.add(64, MemoryCategory::weights));
        QCOMPARE(ledger.allocated(), int64_t { 640 });
        ledger.resetPeak();
        QCOMPARE(ledger.peak(), int64_t { 640 });
    }
};

QTEST_APPLESS_MAIN(TestMemoryLedger)
#include "tst_memory_ledger.moc"
