#include "core/config/cards.h"
#include "core/config/options.h"

#include <QTest>

using namespace tunebench;

class TestCards : public QObject {
    Q_OBJECT

private slots:
    void listIsSound()
    {
        QVERIFY(cards().size() > 10);
        for (const Card& card : cards()) {
            QVERIFY2(card.usable > card.memory * 9 / 10 && card.usable < card.memory, card.name.c_str());
            QVERIFY2(cardBytes(card.name).value() == card.usable, card.name.c_str());
            QVERIFY2(card.bytesPerSecond >= 1e11 && card.bytesPerSecond < 1e13, card.name.c_str());
            QVERIFY2(card.fp32Flops > 1e12, card.name.c_str());
            QVERIFY2(card.tensorCores ? card.fp16Flops >= 1.9 * card.fp32Flops : card.fp16Flops == card.fp32Flops,
                card.name.c_str());
            QVERIFY2(card.bf16 == (card.computeCapability != "7.5"), card.name.c_str()); // Turing has none
        }
    }

    void bytesOf_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qlonglong>("bytes");
        constexpr qlonglong gtx1650 = 4080218931; // 3.8 GiB
        QTest::newRow("name") << "GTX 1650" << gtx1650;
        QTest::newRow("as one types it") << "gtx1650" << gtx1650;
        QTest::newRow("as the driver says it") << "NVIDIA GeForce GTX 1650" << gtx1650;
        QTest::newRow("bytes") << "4080218931" << gtx1650;
        QTest::newRow("GiB") << "3.8 GiB" << gtx1650;
        QTest::newRow("MiB") << "512MiB" << 536870912LL;
        QTest::newRow("GB") << "6 GB" << 6000000000LL;
        QTest::newRow("unknown") << "GTX 9999" << -1LL;
        QTest::newRow("nothing") << "" << -1LL;
        QTest::newRow("negative") << "-4 GiB" << -1LL;
        QTest::newRow("too much") << "1e300 GiB" << -1LL;
        QTest::newRow("not a number") << "nan" << -1LL;
    }

    void bytesOf()
    {
        QFETCH(QString, text);
        QFETCH(qlonglong, bytes);
        QCOMPARE(cardBytes(text.toStdString()).value_or(-1), bytes);
    }

    void smallerLimitCounts()
    {
        RunConfig config;
        QCOMPARE(limitBytes(config), 0);
        config.card = "GTX 1650";
        QCOMPARE(limitBytes(config), 4080218931);
        config.memoryLimit = 1000;
        QCOMPARE(limitBytes(config), 1000);
        config.card = "500";
        QCOMPARE(limitBytes(config), 500);
        config.card.reset();
        QCOMPARE(limitBytes(config), 1000);
    }

    void runOnCudaNamesACard()
    {
        RunConfig config;
        config.card = "rtx 3060";
        QVERIFY(!namedCard(config)); // nobody knows yet where it runs
        config.device = "cpu";
        QVERIFY(!namedCard(config));
        config.device = "cuda:1";
        QCOMPARE(namedCard(config)->name, std::string("RTX 3060"));
        config.card = "6 GiB";
        QVERIFY(!namedCard(config));
        config.card.reset();
        QVERIFY(!namedCard(config));
    }

    void aNamedCardIsPlannedFor()
    {
        ConfigChoice choice;
        QCOMPARE(asOnItsCard(choice).values.device, choice.values.device);
        choice.values.card = "6 GiB"; // an amount is no card
        QCOMPARE(asOnItsCard(choice).values.device, choice.values.device);
        choice.values.card = "gtx1650";
        QCOMPARE(asOnItsCard(choice).values.device, std::string("cuda:0"));
        choice.values.device = "cpu";
        choice.set.insert("device");
        QCOMPARE(asOnItsCard(choice).values.device, std::string("cpu"));
    }

    void optionWantsACard()
    {
        ConfigChoice choice;
        QVERIFY(applyAssignment(choice, "card=rtx 3060").has_value());
        QVERIFY(!applyAssignment(choice, "card=voodoo").has_value());
        QVERIFY(applyAssignment(choice, "card=none").has_value());
        QVERIFY(!choice.values.card);
    }
};

QTEST_APPLESS_MAIN(TestCards)
#include "tst_cards.moc"
