#include "core/train/checkpoint.h"
#include "tests/core/train/trainer_test.h"

#include <algorithm>

using namespace tunebench;

/// Runs that were stopped, killed or damaged, and go on.
class TestResume : public TrainerTest {
    Q_OBJECT

private slots:
    void resumedRunIsTheSame_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("lora, adamw") << QStringList {};
        QTest::newRow("full, lion, shuffled") << QStringList { "method=full", "optimizer=lion", "order=shuffle" };
        QTest::newRow("sgd with momentum, packed, cosine")
            << QStringList { "optimizer=sgd", "momentum=0.9", "packing=true", "scheduler=cosine", "max_length=64" };
        QTest::newRow("adafactor") << QStringList { "optimizer=adafactor" };
        QTest::newRow("adamw_8bit") << QStringList { "optimizer=adamw_8bit", "lora_rank=128" };
        QTest::newRow("dropout, DoRA, recompute, shuffled")
            << QStringList { "lora_dropout=0.2", "use_dora=true", "gradient_checkpointing=full", "order=shuffle" };
        QTest::newRow("modules trained whole") << QStringList { "modules_to_save=embed_tokens,lm_head,norm" };
        QTest::newRow("fp16 products") << QStringList { "compute=fp16" };
        QTest::newRow("nf4, adamw_8bit, shuffled")
            << QStringList { "precision=nf4", "optimizer=adamw_8bit", "order=shuffle" };
    }

    /// A run that was stopped and goes on ends with the very numbers of one that was not.
    void resumedRunIsTheSame()
    {
        QFETCH(QStringList, options);
        std::vector<std::string> assignments { "epochs=3", "save_every=2", "eval_share=0.3", "eval_every=3" };
        for (const QString& option : options)
            assignments.push_back(option.toStdString());
        const std::string tag = std::to_string(qHash(options));
        const Record whole = run(job(assignments, "whole" + tag));
        QVERIFY2(whole.outcome.has_value(), whole.outcome ? "" : whole.outcome.error().message.c_str());
        {
            Trainer trainer(job(assignments, "parted" + tag));
            Record record;
            follow(trainer, record, [](const Record& r) { return r.steps.size() >= 3; });
            trainer.stop();
            trainer.wait();
            QVERIFY(trainer.outcome().has_value());
        }
        const size_t total = whole.steps.size();
        const Record second = run(rest("parted" + tag));
        QVERIFY2(second.outcome.has_value(), second.outcome ? "" : second.outcome.error().message.c_str());
        QCOMPARE(second.steps.size(), total); // those of before are told again
        const auto curves = readCurves(*second.outcome).value();
        QCOMPARE(curves.steps.size(), total);
        for (size_t i = 0; i < total; ++i) {
            QCOMPARE(curves.steps[i].loss, whole.steps[i].loss);
            QCOMPARE(curves.steps[i].gradNorm, whole.steps[i].gradNorm);
            QCOMPARE(curves.steps[i].learningRate, whole.steps[i].learningRate);
        }
        QCOMPARE(curves.evaluations.back().loss, whole.evaluations.back().loss);
        const auto summary = findRun(runs(), "parted" + tag)->summary;
        QVERIFY(summary.state == RunState::finished);
        QCOMPARE(summary.step, static_cast<int64_t>(total));
        QCOMPARE(summary.lossNoise, whole.states.back().summary.lossNoise);
        const auto kept = checkpointSteps(*second.outcome);
        const bool bestIsOlder = kept.size() == 3 && kept.back() == summary.bestEvalStep;
        QVERIFY(kept.size() == 2 || bestIsOlder);
    }

    void finishedRunGoesOnOnlyForMore()
    {
        const Record first = run(job({}, "short"));
        QVERIFY(first.outcome.has_value());
        const Record nothing = run(rest("short"));
        QVERIFY(nothing.outcome.has_value());
        QVERIFY(nothing.steps.empty());
        const Record second = run(rest("short", { "epochs=2" }));
        QVERIFY2(second.outcome.has_value(), second.outcome ? "" : second.outcome.error().message.c_str());
        QCOMPARE(findRun(runs(), "short")->summary.step, static_cast<int64_t>(2 * first.steps.size()));
        QVERIFY(std::ranges::any_of(
            second.lines, [](const LogLine& line) { return line.text.find("instead of") != std::string::npos; }));
    }

    void damagedCheckpointIsPassedOver()
    {
        const Record first = run(job({ "save_every=1", "max_steps=3", "keep_checkpoints=3" }, "damaged"));
        QVERIFY(first.outcome.has_value());
        const auto folder = *first.outcome / "checkpoints";
        const auto cut = folder / "step-3" / "state.safetensors";
        std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 1);
        std::filesystem::remove(folder / "step-2" / "checkpoint.json");
        const Record second = run(rest("damaged", { "max_steps=4" }));
        QVERIFY2(second.outcome.has_value(), second.outcome ? "" : second.outcome.error().message.c_str());
        QCOMPARE(second.steps.size(), size_t { 4 });
        QCOMPARE(second.steps[2].loss, first.steps[2].loss);
        QCOMPARE(std::ranges::count_if(second.lines,
                     [](const LogLine& line) { return line.text.find("passed over") != std::string::npos; }),
            2);
    }

    /// Starting again would take the place of what was learnt.
    void nothingBeginsOverDamagedCheckpoints()
    {
        const Record first = run(job({ "max_steps=2" }, "lost"));
        QVERIFY(first.outcome.has_value());
        std::filesystem::resize_file(*first.outcome / "checkpoints" / "step-2" / "state.safetensors", 10);
        const auto before = readFile(*first.outcome / "adapter" / "adapter_model.safetensors").value();
        const Record second = run(rest("lost", { "max_steps=3" }));
        QVERIFY(!second.outcome.has_value());
        QVERIFY(second.outcome.error().message.find("No checkpoint") != std::string::npos);
        QVERIFY(readFile(*first.outcome / "adapter" / "adapter_model.safetensors").value() == before);
    }

    void leftoversOfAKilledRunAreRemoved()
    {
        const Record first = run(job({ "max_steps=2" }, "killed"));
        QVERIFY(first.outcome.has_value());
        const auto folder = *first.outcome / "checkpoints" / "step-3.part-aB3dE9";
        std::filesystem::create_directories(folder);
        QVERIFY(writeFileAtomically(*first.outcome / "summary.json.part-qwertz", "{").has_value());
        QVERIFY(writeFileAtomically(*first.outcome / "mine.part-1", "kept").has_value());
        QVERIFY(run(rest("killed", { "max_steps=3" })).outcome.has_value());
        QVERIFY(!std::filesystem::exists(folder));
        QVERIFY(!std::filesystem::exists(*first.outcome / "summary.json.part-qwertz"));
        QVERIFY(std::filesystem::exists(*first.outcome / "mine.part-1"));
    }

    void resumeRefuses_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("reason");
        QTest::newRow("other rows") << "max_rows=3"
                                    << "max_rows cannot change";
        QTest::newRow("other rank") << "lora_rank=2"
                                    << "lora_rank cannot change";
        QTest::newRow("other run") << ""
                                   << "There is no run";
    }

    void resumeRefuses()
    {
        QFETCH(QString, change);
        QFETCH(QString, reason);
        if (!findRun(runs(), "refuses"))
            QVERIFY(run(job({ "max_steps=1" }, "refuses")).outcome.has_value());
        const Record record = run(change.isEmpty() ? rest("no such run") : rest("refuses", { change.toStdString() }));
        QVERIFY(!record.outcome.has_value());
        QVERIFY2(record.outcome.error().message.find(reason.toStdString()) != std::string::npos,
            record.outcome.error().message.c_str());
    }

    void resumeWantsTheSameRows()
    {
        const std::string file = path("edited.jsonl");
        QVERIFY(writeFileAtomically(file, readFile(rowsFile("llama")).value()).has_value());
        QVERIFY(run(job({ "max_steps=2", "dataset=" + file }, "edited")).outcome.has_value());
        QVERIFY(writeFileAtomically(file, R"({"input_ids":[1,2,3],"labels":[1,2,3]})").has_value());
        const Record record = run(rest("edited", { "max_steps=3" }));
        QVERIFY(!record.outcome.has_value());
        QVERIFY(record.outcome.error().message.find("dataset is not the one") != std::string::npos);
        QVERIFY(findRun(runs(), "edited")->summary.state == RunState::finished);
    }
};

QTEST_GUILESS_MAIN(TestResume)
#include "tst_resume.moc"
