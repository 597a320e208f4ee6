#include "core/model/peft_adapter.h"
#include "tests/core/train/trainer_test.h"

#include <algorithm>
#include <fstream>

using namespace tunebench;

/// Whole runs of small models, as the command line and the workbench start them.
class TestTrainer : public TrainerTest {
    Q_OBJECT

    static Result<int64_t> plannedPeak(const TrainingJob& job)
    {
        return planned(job.config).map(&MemoryPlan::peakAllocated);
    }

private slots:
    void runMatchesTransformersAndIsKept()
    {
        const auto reference = nlohmann::json::parse(readFile(dataFolder() + "llama_reference.json").value());
        const Record record = run(job({ "adapter=" + dataFolder() + "llama_adapter" }, "kept"));
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        const auto& right = reference.at("lora").at("steps");
        QCOMPARE(record.steps.size(), right.size());
        for (size_t i = 0; i < right.size(); ++i) {
            QVERIFY(std::abs(*record.steps[i].loss - right[i].at("loss").get<double>()) < 1e-5);
            QCOMPARE(record.steps[i].tokens, right[i].at("tokens").get<int64_t>());
            QVERIFY(record.steps[i].peakAllocated >= record.steps[i].allocated);
            QVERIFY(record.steps[i].seconds >= record.steps[i].forwardSeconds + record.steps[i].backwardSeconds);
        }
        const auto curves = readCurves(*record.outcome).value();
        QCOMPARE(curves.steps.size(), right.size());
        QCOMPARE(curves.steps.back().loss, record.steps.back().loss);
        const auto kept = findRun(runs(), "kept").value();
        QVERIFY(kept.summary.state == RunState::finished);
        QCOMPARE(kept.summary.step, int64_t { 4 });
        QCOMPARE(kept.summary.lastLoss, record.steps.back().loss);
        const auto config = readRunConfig(*record.outcome).value();
        QCOMPARE(config.loraRank, int64_t { 4 });
        QCOMPARE(config.device, std::string("cpu"));
        const auto adapter = openPeftAdapter(*record.outcome / "adapter");
        QVERIFY2(adapter.has_value(), adapter ? "" : adapter.error().message.c_str());
        QCOMPARE(adapter->tensors.size(), size_t { 21 });
        QVERIFY(std::filesystem::exists(*record.outcome / "environment.json"));
    }

    void savedAdapterGoesOnWhereItStood()
    {
        const Record first = run(job({ "adapter=" + dataFolder() + "llama_adapter" }, "first"));
        const Record second = run(job({ "adapter=" + (*first.outcome / "adapter").string(), "learning_rate=1e-12" }));
        const Record third = run(job({ "adapter=" + (*second.outcome / "adapter").string(), "learning_rate=1e-12" }));
        QVERIFY(*second.steps[0].loss < *first.steps[0].loss);
        QVERIFY(std::abs(*third.steps[0].loss - *second.steps[0].loss) < 1e-6);
    }

    void sameSeedSameNumbers()
    {
        const Record a = run(job({ "order=shuffle", "seed=5", "max_steps=3" }));
        const Record b = run(job({ "order=shuffle", "seed=5", "max_steps=3" }));
        const Record c = run(job({ "order=shuffle", "seed=6", "max_steps=3" }));
        for (size_t i = 0; i < 3; ++i)
            QCOMPARE(a.steps[i].loss, b.steps[i].loss);
        QVERIFY(a.steps[0].loss != c.steps[0].loss);
    }

    void evaluatesBeforeBetweenAndAfter()
    {
        const Record record = run(job({ "eval_share=0.3", "eval_every=1", "epochs=2" }));
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        std::vector<int64_t> at;
        for (const EvalMetrics& evaluation : record.evaluations)
            at.push_back(evaluation.step);
        QCOMPARE(at, (std::vector<int64_t> { 0, 1, 2, 3, 4, 5, 6 }));
        QVERIFY(record.evaluations.back().tokens > 0);
        const Record quiet = run(job({ "eval_share=0.3", "eval_at_start=false" }));
        QCOMPARE(quiet.evaluations.size(), size_t { 1 });
    }

    void bf16LearnsTheRows()
    {
        const Record record = run(job({ "precision=bf16", "compute=bf16", "epochs=15", "learning_rate=2e-2" }));
        QCOMPARE(record.steps.size(), size_t { 60 });
        const auto mean = [&](size_t from) {
            double sum = 0;
            for (size_t i = from; i < from + 4; ++i)
                sum += *record.steps[i].loss / 4;
            return sum;
        };
        QVERIFY2(mean(56) < 0.8 * mean(0), qPrintable(QString::number(mean(56)) + " " + QString::number(mean(0))));
    }

    void fullTrainingSavesAModelThatTrainsOn()
    {
        const Record first = run(job({ "method=full" }, "whole"));
        QVERIFY2(first.outcome.has_value(), first.outcome ? "" : first.outcome.error().message.c_str());
        const Record second
            = run(job({ "model=" + (*first.outcome / "model").string(), "max_steps=1", "method=full" }));
        QVERIFY2(second.outcome.has_value(), second.outcome ? "" : second.outcome.error().message.c_str());
        QVERIFY(*second.steps[0].loss < *first.steps[0].loss);
    }

    void planIsWhatTheRunTakes_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("lora") << QStringList {};
        QTest::newRow("full, recompute") << QStringList { "method=full", "gradient_checkpointing=full" };
        QTest::newRow("shuffled, rows held out") << QStringList { "order=shuffle", "eval_share=0.3", "epochs=2" };
        QTest::newRow("cut") << QStringList { "max_length=20", "accumulation_steps=1" };
        QTest::newRow("packed") << QStringList { "packing=true", "max_length=64", "batch_size=2", "order=shuffle" };
        QTest::newRow("few steps") << QStringList { "max_rows=10", "max_steps=1", "order=length_grouped" };
    }

    /// The plan looks at lengths alone, before a run; the run measures.
    void planIsWhatTheRunTakes()
    {
        QFETCH(QStringList, options);
        const TrainingJob made = job(assignments(options));
        const Result<int64_t> peak = plannedPeak(made);
        QVERIFY2(peak.has_value(), peak ? "" : peak.error().message.c_str());
        const Record record = run(made);
        QVERIFY(record.outcome.has_value());
        QCOMPARE(*peak, record.states.back().summary.peakAllocated);
    }

    /// Longer rows than any that is trained on, in a dataset for evaluation alone.
    void planKnowsTheRowsForEvaluation_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("before and after") << QStringList { "batch_size=1" };
        QTest::newRow("few rows to train on, after it alone") << QStringList { "max_rows=4", "eval_at_start=false" };
        QTest::newRow("cut") << QStringList { "max_length=85", "batch_size=1", "eval_batch_size=3" };
        QTest::newRow("recompute") << QStringList { "gradient_checkpointing=full", "compute=bf16" };
    }

    void planKnowsTheRowsForEvaluation()
    {
        QFETCH(QStringList, options);
        auto row = nlohmann::json { { "input_ids", std::vector<int>(96, 5) }, { "labels", std::vector<int>(96, 5) } };
        writeJson("longer.jsonl", row);
        const std::vector<std::string> set = assignments(options);
        const int64_t withoutThem = plannedPeak(job(set)).value();
        std::vector<std::string> evaluated = set;
        evaluated.push_back("eval_dataset=" + path("longer.jsonl"));
        const TrainingJob made = job(evaluated);
        const int64_t peak = plannedPeak(made).value();
        QVERIFY(peak > withoutThem);
        const Record record = run(made);
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        QCOMPARE(peak, record.states.back().summary.peakAllocated);
    }

    void planRefusesWhatTrainingRefuses_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("word");
        QTest::newRow("rows that are no pairs") << QStringList { "objective=dpo" } << "dpo";
        QTest::newRow("nothing to evaluate on")
            << QStringList { "eval_dataset=" + QString::fromStdString(path("none.jsonl")) } << "none.jsonl";
    }

    void planRefusesWhatTrainingRefuses()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, word);
        writeJson("none.jsonl", { { "input_ids", { 5, 5 } }, { "labels", { -100, -100 } } });
        const TrainingJob made = job(assignments(options));
        const Result<int64_t> peak = plannedPeak(made);
        const Record record = run(made);
        QVERIFY(!peak.has_value() && !record.outcome.has_value());
        QCOMPARE(peak.error().message, record.outcome.error().message);
        QVERIFY2(peak.error().message.find(word.toStdString()) != std::string::npos, peak.error().message.c_str());
    }

    /// The plan and the run divide an effective batch alike, and the run's options say how; they can be used again.
    void effectiveBatchIsDivided()
    {
        const TrainingJob made = job({ "effective_batch=6", "max_steps=1", "eval_share=0" });
        ConfigChoice open = made.config;
        open.set.erase("batch_size");
        open.set.erase("accumulation_steps");
        const auto plan = planned(open);
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message.c_str());
        const Record record = run({ open, runs(), "divided" });
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        QCOMPARE(plan->peakAllocated, record.states.back().summary.peakAllocated);
        const auto kept = configFromFile((*record.outcome / "config.json").string()).value();
        QCOMPARE(kept.values.batchSize * kept.values.accumulationSteps, int64_t { 6 });
        QCOMPARE(kept.values.batchSize, plan->config.batchSize);
        QVERIFY(std::ranges::none_of(validate(kept), [](const Finding& finding) { return !finding.warning; }));
        const Record refused = run({ job({ "effective_batch=7" }).config, runs(), "odd" });
        QVERIFY(!refused.outcome.has_value());
        QVERIFY(refused.outcome.error().message.find("effective_batch") != std::string::npos);
    }

    void planNeedsRows()
    {
        const auto plan = planMemory(job({}).config, {}, PlanDetail::all);
        QVERIFY(!plan.has_value());
        QVERIFY(plan.error().message.find("No row") != std::string::npos);
    }

    void stopsAndSaves()
    {
        Trainer trainer(job({ "epochs=100000" }, "stopped"));
        Record record;
        follow(trainer, record, [](const Record& r) { return r.steps.size() >= 2; });
        trainer.stop();
        trainer.wait();
        QVERIFY(trainer.outcome().has_value());
        QVERIFY(findRun(runs(), "stopped").value().summary.state == RunState::stopped);
        QVERIFY(openPeftAdapter(*trainer.outcome() / "adapter").has_value());
    }

    void pausesAndGoesOn()
    {
        Trainer trainer(job({ "epochs=100000" }, "paused"));
        Record record;
        follow(trainer, record, [](const Record& r) { return !r.steps.empty(); });
        trainer.pause();
        const auto in = [&](RunState state) {
            follow(trainer, record,
                [&](const Record& r) { return !r.states.empty() && r.states.back().summary.state == state; });
            return record.states.back().summary.state == state;
        };
        QVERIFY(in(RunState::paused));
        const size_t steps = record.steps.size();
        QVERIFY(findRun(runs(), "paused").value().summary.state == RunState::paused);
        trainer.resume();
        QVERIFY(in(RunState::running));
        follow(trainer, record, [&](const Record& r) { return r.steps.size() > steps; });
        trainer.pause();
        QVERIFY(in(RunState::paused));
        trainer.stop();
        trainer.wait();
        QVERIFY(findRun(runs(), "paused").value().summary.state == RunState::stopped);
    }

    void destroyingStops()
    {
        {
            Trainer trainer(job({ "epochs=100000" }, "destroyed"));
            Record record;
            follow(trainer, record, [](const Record& r) { return !r.steps.empty(); });
        }
        QVERIFY(findRun(runs(), "destroyed").value().summary.state == RunState::stopped);
    }

    void outOfMemoryIsExplained()
    {
        const Record record = run(job({ "memory_limit=400000" }, "tight"));
        QVERIFY(!record.outcome.has_value());
        QVERIFY(record.outcome.error().fault == Fault::work);
        const std::string& text = record.outcome.error().message;
        for (const char* part :
            { "memory limit", "batch_size 1 with accumulation_steps 8", "gradient_checkpointing full" })
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        QVERIFY(findRun(runs(), "tight").value().summary.state == RunState::failed);
        QVERIFY(run(job({ "max_steps=1" })).outcome.has_value());
    }

    void recomputeFitsWhereKeepingDoesNot()
    {
        const auto peak
            = run(job({ "gradient_checkpointing=full", "padding=max_length", "max_length=128" })).steps.back();
        const std::string limit = "memory_limit=" + std::to_string(peak.peakAllocated);
        QVERIFY(run(job({ limit, "gradient_checkpointing=full", "padding=max_length", "max_length=128" }))
                    .outcome.has_value());
        QVERIFY(!run(job({ limit, "padding=max_length", "max_length=128" })).outcome.has_value());
    }

    void explodingGradientStopsBeforeItSpoils()
    {
        const Record record = run(job({ "learning_rate=10", "compute=fp16", "epochs=200", "method=full" }, "boom"));
        QVERIFY(!record.outcome.has_value());
        QVERIFY2(record.outcome.error().message.find("learning_rate") != std::string::npos,
            record.outcome.error().message.c_str());
        QVERIFY(findRun(runs(), "boom").value().summary.state == RunState::failed);
    }

    void badInput_data()
    {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("says");
        QTest::newRow("no such model") << "model=/nowhere/model"
                                       << "/nowhere/model";
        QTest::newRow("no such dataset") << "dataset=/nowhere/rows.jsonl"
                                         << "/nowhere/rows.jsonl";
        QTest::newRow("no such adapter") << "adapter=/nowhere/adapter"
                                         << "/nowhere/adapter";
        QTest::newRow("beyond the context") << "max_length=257"
                                            << "max_length";
        QTest::newRow("no such device") << "device=cuda:7"
                                        << "cuda:7";
        QTest::newRow("no such projection") << "lora_targets=c_attn"
                                            << "c_attn";
    }

    void badInput()
    {
        QFETCH(QString, assignment);
        QFETCH(QString, says);
        const Record record = run(job({ assignment.toStdString() }));
        QVERIFY(!record.outcome.has_value());
        const QString text = QString::fromStdString(record.outcome.error().message);
        QVERIFY2(text.contains(says), qPrintable(text));
    }

    void adapterAndOptionsMustAgree()
    {
        const Record record = run(job({ "adapter=" + dataFolder() + "llama_adapter", "lora_rank=16" }));
        QVERIFY(!record.outcome.has_value());
        QVERIFY(record.outcome.error().message.find("lora_rank") != std::string::npos);
    }

    void takenNameIsRefused()
    {
        QVERIFY(run(job({ "max_steps=1" }, "taken")).outcome.has_value());
        const Record record = run(job({ "max_steps=1" }, "taken"));
        QVERIFY(!record.outcome.has_value());
        QVERIFY(record.outcome.error().message.find("taken") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTrainer)
#include "tst_trainer.moc"
