#include "core/runs/out_of_memory.h"
#include "core/runs/run_folder.h"

#include <QTest>

using namespace tunebench;
using nlohmann::ordered_json;

namespace {

OutOfMemoryReport sample()
{
    OutOfMemoryReport report;
    report.phase = OutOfMemoryPhase::laterStep;
    report.step = 7;
    report.requested = 3 << 20;
    report.limit = 100 << 20;
    report.allocated = 98 << 20;
    report.categories = { { "weights", 60 << 20 }, { "saved activations", 38 << 20 } };
    report.layer = 4;
    report.operation = "mlp";
    report.pass = "forward";
    report.rowLengths = { 512, 40, 33 };
    report.plannedPeak = 120 << 20;
    report.checkpoint = 6;
    report.remedies
        = { { { { "batch_size", "1" }, { "accumulation_steps", "8" } }, "the same result", 30 << 20, true, 90 << 20 },
              { { { "precision", "bf16" } }, "the frozen weights are rounded", 10 << 20, false, 110 << 20 } };
    return report;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestOutOfMemoryReport : public QObject {
    Q_OBJECT

private slots:
    void jsonIsReadBack()
    {
        const ordered_json object = outOfMemoryToJson(sample());
        QVERIFY(object.at("phase") == "later_step");
        QCOMPARE(object.at("at").dump(), std::string(R"({"layer":4,"op":"mlp","pass":"forward"})"));
        QVERIFY(object.at("foreseen") == true);
        QVERIFY(object.at("other_programs").is_null() && object.at("reserved").is_null());
        const auto& remedies = object.at("remedies");
        QCOMPARE(remedies.at(0).at("set").dump(), std::string(R"({"batch_size":1,"accumulation_steps":8})"));
        QCOMPARE(remedies.at(1).at("set").dump(), std::string(R"({"precision":"bf16"})"));
        QVERIFY(remedies.at(1).at("peak_allocated") == 110 << 20);
        const auto back = outOfMemoryFromJson(ordered_json::parse(object.dump()));
        QVERIFY(back.has_value());
        QCOMPARE(outOfMemoryToJson(*back).dump(), object.dump());
    }

    void summaryHoldsIt()
    {
        RunSummary summary;
        QVERIFY(summaryToJson(summary).at("out_of_memory").is_null());
        QVERIFY(!summaryFromJson(summaryToJson(summary).dump())->outOfMemory);
        summary.outOfMemory = sample();
        const auto back = summaryFromJson(summaryToJson(summary).dump());
        QVERIFY(back && back->outOfMemory);
        QCOMPARE(summaryToJson(*back).dump(), summaryToJson(summary).dump());
    }

    void damagedJsonIsNoReport_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : { "null", "1", "[]", "{}", R"({"phase":"later"})", R"({"phase":"load"})",
                 R"({"phase":"load","categories":{"weights":"many"}})", R"({"phase":"load","categories":{},"at":3})",
                 R"({"phase":"load","categories":{},"row_lengths":[1.5]})",
                 R"({"phase":"load","categories":{},"remedies":[{"set":1}]})",
                 R"({"phase":"load","categories":{},"step":"x"})" })
            QTest::newRow(text) << QByteArray(text);
    }

    void damagedJsonIsNoReport()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!outOfMemoryFromJson(ordered_json::parse(text.toStdString())));
    }

    void textTellsWhatHappenedAndWhatHelps()
    {
        auto report = sample();
        const std::string text = outOfMemoryText(report);
        for (const char* part :
            { "in step 7 (mlp of layer 4, forward)", "3 MiB more", "memory limit of 100 MiB", "98 MiB in use", "intact",
                "checkpoint of step 6", "resume", "batch_size 1 with accumulation_steps 8 (the same result)" })
            QVERIFY2(contains(text, part), text.c_str());
        QVERIFY(!contains(text, "precision bf16")); // it is not enough, and another is
        report.remedies.front().fits = false;
        for (const char* part : { "precision bf16 (the frozen weights are rounded)", "none of these is enough alone" })
            QVERIFY2(contains(outOfMemoryText(report), part), outOfMemoryText(report).c_str());
        report.phase = OutOfMemoryPhase::load;
        report.remedies.clear();
        report.limit.reset();
        const std::string bare = outOfMemoryText(report);
        QVERIFY2(contains(bare, "while the model was loaded") && contains(bare, "a smaller model"), bare.c_str());
        report.phase = OutOfMemoryPhase::firstStep;
        report.intact = false;
        QVERIFY2(contains(outOfMemoryText(report), "not kept"), outOfMemoryText(report).c_str());
    }

    void theEvaluationIsSaidOnce()
    {
        auto report = sample();
        report.phase = OutOfMemoryPhase::evaluation;
        report.pass = "evaluation";
        const std::string text = outOfMemoryText(report);
        QVERIFY2(contains(text, "in the evaluation after 7 steps (mlp of layer 4)"), text.c_str());
    }

    void factsAreComplete()
    {
        auto report = sample();
        report.otherPrograms = 512 << 20;
        report.reserved = 99 << 20;
        std::string all;
        for (const auto& [name, text] : outOfMemoryFacts(report))
            all += name + ": " + text + "\n";
        for (const char* part : { "weights 60 MiB", "512, 40, 33 tokens", "peak of 120 MiB, so this was foreseen",
                 "other programs hold 512 MiB", "reserved: 99 MiB" })
            QVERIFY2(contains(all, part), all.c_str());
        report.plannedPeak = 90 << 20;
        QCOMPARE(report.foreseen(), std::optional(false));
        report.limit.reset();
        QVERIFY(!report.foreseen());
    }
};

QTEST_APPLESS_MAIN(TestOutOfMemoryReport)
#include "tst_out_of_memory_report.moc"
