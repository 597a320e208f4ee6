#include "tests/core/train/limit_test.h"

using namespace tunebench;

/// What the plan promises is what a limited run keeps: 1 % of room is enough, 1 % too little is not.
class TestMemoryLimit : public LimitTest {
    Q_OBJECT

private slots:
    void planDecides_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("options");
        for (const char* recompute : { "off", "selective", "full", "offload" }) {
            for (const char* method : { "lora", "full" })
                QTest::addRow("llama %s %s", method, recompute)
                    << "llama" << QStringLiteral("method=%1 gradient_checkpointing=%2").arg(method, recompute);
        }
        bool full = false;
        for (const char* family : { "qwen2", "qwen3", "mistral_window", "gemma2", "gemma3_text", "phi3" }) {
            QTest::addRow("%s %s", family, full ? "full" : "lora")
                << family << (full ? "method=full gradient_checkpointing=full" : "gradient_checkpointing=off");
            full = !full;
        }
        QTest::newRow("every second layer") << "llama"
                                            << "gradient_checkpointing=full checkpoint_every_layers=2";
        QTest::newRow("bf16 weights") << "llama"
                                      << "precision=bf16";
        QTest::newRow("dora, dropout") << "llama"
                                       << "use_dora=true lora_dropout=0.1";
        QTest::newRow("whole embedding") << "llama"
                                         << "modules_to_save=embed_tokens";
        QTest::newRow("8 bit moments") << "llama"
                                       << "method=full optimizer=adamw_8bit";
        QTest::newRow("lion") << "llama"
                              << "method=full optimizer=lion batch_size=1";
        QTest::newRow("padded") << "llama"
                                << "padding=max_length max_length=200";
        QTest::newRow("packed") << "llama"
                                << "packing=true max_length=250 batch_size=2";
        QTest::newRow("shuffled") << "llama"
                                  << "order=shuffle";
    }

    void planDecides()
    {
        QFETCH(QString, family);
        QFETCH(QString, options);
        std::vector<std::string> assignments { "model=" + dataFolder() + family.toStdString(),
            "dataset=" + tokenRows("rows", { 120, 40, 200, 33, 90, 150, 61, 180 }), "max_length=256",
            "accumulation_steps=1" };
        for (const QString& option : options.split(' '))
            assignments.push_back(option.toStdString());
        const TrainingJob made = job(assignments);
        const int64_t peak = planOf(made).peakAllocated;
        QVERIFY2(peak > 500'000, qPrintable(QString::number(peak))); // 1 % is more than rounding
        const Record fits = run(limited(made, peak + peak / 100));
        QVERIFY2(fits.outcome.has_value(), fits.outcome ? "" : fits.outcome.error().message.c_str());
        const Record tooMuch = run(limited(made, peak - peak / 100));
        QVERIFY(!tooMuch.outcome.has_value());
        const auto& report = tooMuch.states.back().summary.outOfMemory;
        QVERIFY(report.has_value());
        QCOMPARE(report->plannedPeak, std::optional(peak));
        QCOMPARE(report->foreseen(), std::optional(true));
        QCOMPARE(report->limit, std::optional(peak - peak / 100));
    }

    /// A card stands for its amount, exactly.
    void cardIsALimit()
    {
        const std::string rows = "dataset=" + tokenRows("card", { 100, 50, 80, 20 });
        const int64_t peak = planOf(job({ rows })).peakAllocated;
        QVERIFY(run(job({ rows, "card=" + std::to_string(peak) })).outcome.has_value());
        QVERIFY(!run(job({ rows, "card=" + std::to_string(peak - 64) })).outcome.has_value());
        QVERIFY(run(job({ rows, "card=GTX 1650" })).outcome.has_value());
    }
};

QTEST_GUILESS_MAIN(TestMemoryLimit)
#include "tst_memory_limit.moc"
