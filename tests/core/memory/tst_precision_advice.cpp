#include "core/memory/precision_advice.h"

#include <QTest>

using namespace tunebench;

Q_DECLARE_METATYPE(tunebench::NumberType)

class TestPrecisionAdvice : public QObject {
    Q_OBJECT

    static DeviceMeasurement device(const std::string& name, double fp32, double fp16, double bf16)
    {
        DeviceMeasurement made { .device = "cuda:0", .name = name };
        if (fp32 > 0)
            made.types = { { NumberType::fp32, fp32, 1e-7, true }, { NumberType::fp16, fp16, 1e-4, true },
                { NumberType::bf16, bf16, 1e-3, bf16 > 0 } };
        return made;
    }

private slots:
    void advice_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("measured");
        QTest::addColumn<NumberType>("precision");
        QTest::addColumn<NumberType>("compute");
        QTest::addColumn<QString>("word");
        QTest::newRow("the best choice") << "NVIDIA GeForce GTX 1650" << true << NumberType::fp16 << NumberType::fp32
                                         << "";
        QTest::newRow("slow by measurement") << "NVIDIA GeForce GTX 1650" << true << NumberType::fp16
                                             << NumberType::fp16 << "compute fp32 is 4 times as fast";
        QTest::newRow("slow by its kind")
            << "NVIDIA GeForce GTX 1650" << false << NumberType::fp16 << NumberType::fp16 << "no tensor cores";
        QTest::newRow("no bf16") << "NVIDIA GeForce RTX 2060" << false << NumberType::bf16 << NumberType::fp32
                                 << "has no bf16";
        QTest::newRow("bf16 is there") << "NVIDIA GeForce RTX 3060" << false << NumberType::bf16 << NumberType::bf16
                                       << "";
        QTest::newRow("nothing known") << "Some other card" << false << NumberType::bf16 << NumberType::fp16 << "";
    }

    void advice()
    {
        QFETCH(QString, name);
        QFETCH(bool, measured);
        QFETCH(NumberType, precision);
        QFETCH(NumberType, compute);
        QFETCH(QString, word);
        RunConfig config;
        config.precision = precision;
        config.compute = compute;
        const auto said = precisionAdvice(config, device(name.toStdString(), measured ? 2000 : 0, 500, 0));
        QCOMPARE(said.size(), size_t(word.isEmpty() ? 0 : 1));
        if (!said.empty())
            QVERIFY2(said.front().find(word.toStdString()) != std::string::npos, said.front().c_str());
    }

    /// A type that gives wrong numbers is no choice, however fast it is.
    void wrongProductsAreNoChoice()
    {
        DeviceMeasurement wrong = device("Some card", 100, 400, 0);
        QCOMPARE(fasterProducts(NumberType::fp32, wrong)->factor, 4.0);
        wrong.types[1].passesSelfTest = false;
        QVERIFY(!fasterProducts(NumberType::fp32, wrong));
    }
};

QTEST_APPLESS_MAIN(TestPrecisionAdvice)
#include "tst_precision_advice.moc"
