#include "tests/core/train/trainer_test.h"

#include "core/train/probe.h"

class TestProbe : public tunebench::TrainerTest {
    Q_OBJECT

    static tunebench::Probe probe(int64_t megabytes, double tokensPerSecond, double spread = 0)
    {
        return { .measuredPeak = megabytes * 1000000, .spread = spread, .tokensPerSecond = tokensPerSecond };
    }

private slots:
    /// In fp32 the steps that ran need what was planned for them, to the byte, whatever an evaluation would need;
    /// nothing of them stays.
    void memoryIsThePlannedOne()
    {
        writeJson(
            "longer.jsonl", { { "input_ids", std::vector<int>(120, 5) }, { "labels", std::vector<int>(120, 5) } });
        for (const std::string& options : { std::string("gradient_checkpointing=off"),
                 std::string("gradient_checkpointing=full"), "eval_dataset=" + path("longer.jsonl") }) {
            const auto made = job({ options, "batch_size=1", "accumulation_steps=1" });
            const auto probed = tunebench::probeRun(made.config, [](const std::string&, bool) {}, {});
            QVERIFY2(probed.has_value(), probed ? "" : probed.error().message.c_str());
            QCOMPARE(probed->measuredPeak, probed->plannedPeak);
            QVERIFY(probed->measuredSeconds > 0 && probed->tokensPerSecond > 0);
            QVERIFY(probed->plannedSeconds.has_value() != !probed->noTime.empty());
            QVERIFY(!QFile::exists(QString::fromStdString(runs().string())));
        }
    }

    void stops()
    {
        std::stop_source stop;
        const auto made = job({});
        const auto probed = tunebench::probeRun(
            made.config, [&](const std::string&, bool) { stop.request_stop(); }, stop.get_token());
        QVERIFY(!probed.has_value());
        QVERIFY2(probed.error().message.find("stopped") != std::string::npos, probed.error().message.c_str());
    }

    /// What does not fit says so, and the limit is gone afterwards.
    void limits()
    {
        const auto made = job({ "memory_limit=400000" });
        const auto probed = tunebench::probeRun(made.config, [](const std::string&, bool) {}, {});
        QVERIFY(!probed.has_value());
        for (const char* part : { "Out of memory in step 1", "memory limit", "gradient_checkpointing full" })
            QVERIFY2(probed.error().message.find(part) != std::string::npos, probed.error().message.c_str());
        QVERIFY(tunebench::probeRun(job({}).config, [](const std::string&, bool) {}, {}).has_value());
    }

    void sentences_data()
    {
        QTest::addColumn<int>("megabytes");
        QTest::addColumn<double>("tokensPerSecond");
        QTest::addColumn<QString>("end");
        QTest::newRow("less, slower") << 600 << 75.0 << "25 % fewer tokens a second: worth it where memory is short";
        QTest::newRow("less, faster") << 600 << 150.0 << "50 % more tokens a second: worth it here.";
        QTest::newRow("less, alike") << 600 << 103.0 << "equally fast: worth it here.";
        QTest::newRow("more, faster") << 2000 << 150.0 << "worth it where the memory is there.";
        QTest::newRow("more, alike") << 2000 << 98.0 << "not worth it here.";
        QTest::newRow("the same, slower") << 1001 << 50.0 << "the same memory, 50 % fewer";
        QTest::newRow("no difference") << 1001 << 101.0 << "no difference here.";
    }

    void sentences()
    {
        QFETCH(int, megabytes);
        QFETCH(double, tokensPerSecond);
        QFETCH(QString, end);
        const auto text = QString::fromStdString(
            tunebench::probeSentence("b", probe(megabytes, tokensPerSecond), "a", probe(1000, 100, 0.1)));
        QVERIFY2(text.startsWith("b beside a: ") && text.contains(end), qPrintable(text));
    }
};

QTEST_GUILESS_MAIN(TestProbe)
#include "tst_probe.moc"
