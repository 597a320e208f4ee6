#include "core/train/checkpoint.h"
#include "tests/core/train/limit_test.h"

#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <numeric>

using namespace tunebench;

namespace {

/// Set: the first memory that the next checkpoint wants for its content is not there.
bool checkpointsFail = false;
thread_local bool nextFails = false;

} // namespace

// What the standard library asks for everything; here it can fail when the test wants it.
void* operator new(size_t bytes)
{
    if (std::exchange(nextFails, false))
        throw std::bad_alloc();
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes))
        return memory;
    throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t& /*unused*/) noexcept
{
    return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, size_t /*bytes*/) noexcept
{
    std::free(memory);
}

// Called by the program as it begins a folder that shall appear whole.
extern "C" char* mkdtemp(char* name)
{
    using Function = char* (*)(char*);
    static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "mkdtemp"));
    char* const made = real(name);
    if (checkpointsFail && std::string_view(name).find("/checkpoints/") != std::string_view::npos)
        nextFails = true;
    return made;
}

/// Memory that runs out, at each moment of a run.
class TestOutOfMemory : public LimitTest {
    Q_OBJECT

    static OutOfMemoryReport reportOf(const Record& record) { return record.states.back().summary.outOfMemory.value(); }

    static int64_t sumOf(const OutOfMemoryReport& report)
    {
        return std::accumulate(report.categories.begin(), report.categories.end(), int64_t { 0 },
            [](int64_t sum, const auto& category) { return sum + category.second; });
    }

    /// What is true of every report under a limit.
    void checkLimited(const Record& record, const std::string& name)
    {
        QVERIFY(!record.outcome.has_value());
        QVERIFY(record.outcome.error().fault == Fault::work);
        const auto report = reportOf(record);
        QCOMPARE(sumOf(report), report.allocated);
        QVERIFY(report.allocated <= *report.limit);
        QVERIFY(report.allocated + *report.requested > *report.limit);
        QVERIFY(report.intact);
        const auto kept = findRun(runs(), name).value().summary;
        QVERIFY(kept.state == RunState::failed);
        QCOMPARE(kept.reason, record.outcome.error().message);
        QVERIFY(kept.outOfMemory.has_value());
        QCOMPARE(outOfMemoryToJson(*kept.outOfMemory).dump(), outOfMemoryToJson(report).dump());
        QVERIFY(run(job({ "max_steps=1" })).outcome.has_value()); // nothing stays behind
    }

private slots:
    void atLoad()
    {
        const Record record = run(limited(job({}), 20000, "load"));
        checkLimited(record, "load");
        const auto report = reportOf(record);
        QVERIFY(report.phase == OutOfMemoryPhase::load);
        QCOMPARE(report.pass, std::string("load"));
        QVERIFY(report.rowLengths.empty());
        QVERIFY(!report.checkpoint);
        QCOMPARE(report.foreseen(), std::optional(true));
    }

    void atTheFirstStep()
    {
        const TrainingJob made = job({ "accumulation_steps=1" });
        const MemoryPlan plan = planOf(made);
        const Record record = run(limited(made, plan.peakAllocated - 1000, "first"));
        checkLimited(record, "first");
        const auto report = reportOf(record);
        QVERIFY(report.phase == OutOfMemoryPhase::firstStep || report.phase == OutOfMemoryPhase::laterStep);
        const Record early = run(limited(made, plan.resident + 20000, "early"));
        checkLimited(early, "early");
        const auto first = reportOf(early);
        QVERIFY(first.phase == OutOfMemoryPhase::firstStep);
        QCOMPARE(first.step, int64_t { 1 });
        QCOMPARE(first.rowLengths, (std::vector<int64_t> { 33, 7, 17, 19 }));
        QVERIFY(!first.operation.empty());
        QVERIFY(first.pass == "forward" || first.pass == "backward");
        QVERIFY(!first.remedies.empty() && first.remedies.size() <= 5);
        for (const Remedy& remedy : first.remedies)
            QCOMPARE(remedy.peakAllocated + remedy.saving, plan.peakAllocated);
        QVERIFY2(early.outcome.error().message.find("no step was done") != std::string::npos,
            early.outcome.error().message.c_str());
    }

    /// Short rows, then a long one: what was learnt is kept, and the run goes on as if nothing had been.
    void atALaterStepNothingIsLost()
    {
        const std::string rows = "dataset=" + tokenRows("later", { 9, 8, 12, 10, 9, 120, 8, 11 });
        const std::vector<std::string> options { rows, "batch_size=1", "accumulation_steps=1" };
        const TrainingJob made = job(options);
        auto shortRows = options;
        shortRows.emplace_back("max_rows=5");
        const int64_t shortPeak = planOf(job(shortRows)).peakAllocated;
        const int64_t limit = (shortPeak + planOf(made).peakAllocated) / 2;
        const Record whole = run(job(options, "undisturbed"));
        const Record record = run(limited(made, limit, "later"));
        checkLimited(record, "later");
        const auto report = reportOf(record);
        QVERIFY(report.phase == OutOfMemoryPhase::laterStep);
        QCOMPARE(report.step, int64_t { 6 });
        QCOMPARE(report.rowLengths, std::vector<int64_t> { 120 });
        QCOMPARE(report.checkpoint, std::optional<int64_t>(5));
        QCOMPARE(checkpointSteps(runs() / "later"), std::vector<int64_t> { 5 });
        QVERIFY(std::filesystem::exists(runs() / "later" / "adapter" / "adapter_model.safetensors"));

        const Record going = run(rest("later", { "memory_limit=0" }));
        QVERIFY2(going.outcome.has_value(), going.outcome ? "" : going.outcome.error().message.c_str());
        QCOMPARE(going.steps.size(), whole.steps.size());
        for (size_t i = 0; i < whole.steps.size(); ++i)
            QCOMPARE(going.steps[i].loss, whole.steps[i].loss);
        QVERIFY(!findRun(runs(), "later").value().summary.outOfMemory);
    }

    /// A run may go on with smaller micro-batches where its steps stay the same.
    void goesOnWithSmallerMicroBatches()
    {
        const std::string rows = "dataset=" + tokenRows("smaller", { 8, 8, 8, 8, 60, 60, 60, 60 });
        const std::vector<std::string> options { rows, "batch_size=4", "accumulation_steps=1" };
        const int64_t small = planOf(job({ rows, "batch_size=1", "accumulation_steps=4" })).peakAllocated;
        const Record whole = run(job(options, "large"));
        QVERIFY(!run(limited(job(options), small, "small")).outcome.has_value());
        const Record refused = run(rest("small", { "batch_size=1" }));
        QVERIFY(refused.outcome.error().message.find("must stay 4") != std::string::npos);
        const Record going = run(rest("small", { "batch_size=1", "accumulation_steps=4" }));
        QVERIFY2(going.outcome.has_value(), going.outcome ? "" : going.outcome.error().message.c_str());
        QVERIFY(std::abs(*going.steps.back().loss - *whole.steps.back().loss) < 1e-5);
    }

    void atAnEvaluation()
    {
        std::vector<std::string> options { "dataset=" + tokenRows("short", { 8, 9, 8, 9 }), "batch_size=1",
            "accumulation_steps=1", "eval_at_start=false" };
        const int64_t steps = planOf(job(options)).peakAllocated;
        options.push_back("eval_dataset=" + tokenRows("held", { 9, 8, 120 }));
        const TrainingJob made = job(options);
        const Record record = run(limited(made, steps, "evaluation"));
        checkLimited(record, "evaluation");
        const auto report = reportOf(record);
        QVERIFY(report.phase == OutOfMemoryPhase::evaluation);
        QCOMPARE(report.step, int64_t { 4 });
        QCOMPARE(report.rowLengths, std::vector<int64_t> { 120 });
        QCOMPARE(report.foreseen(), std::optional(true));
        QCOMPARE(report.checkpoint, std::optional<int64_t>(4));
        QVERIFY(std::filesystem::exists(runs() / "evaluation" / "adapter" / "adapter_model.safetensors"));
        // What is offered helps where it says so; recompute, which an evaluation has no use for, is not offered.
        QVERIFY(!report.remedies.empty());
        for (const Remedy& remedy : report.remedies) {
            QVERIFY(!remedy.text().starts_with("gradient_checkpointing") && !remedy.text().starts_with("batch_size"));
            if (!remedy.fits)
                continue;
            auto changed = options;
            for (const auto& [key, value] : remedy.changes)
                changed.push_back(key + "=" + value);
            const Record helped = run(limited(job(changed), *report.limit));
            QVERIFY2(helped.outcome.has_value(), remedy.text().c_str());
        }
    }

    void atSaving()
    {
        checkpointsFail = true;
        Trainer trainer(job({ "save_every=1", "epochs=2" }, "saving"));
        trainer.wait();
        checkpointsFail = false;
        Record record;
        record.take(trainer.drain());
        const auto report = reportOf(record);
        QVERIFY(report.phase == OutOfMemoryPhase::saving);
        QCOMPARE(report.step, int64_t { 1 });
        QVERIFY(!report.checkpoint);
        QVERIFY(findRun(runs(), "saving").value().summary.state == RunState::failed);
        const Record going = run(rest("saving"));
        QVERIFY2(going.outcome.has_value(), going.outcome ? "" : going.outcome.error().message.c_str());
    }

    void splitGivesTheSameNumbers_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("lora") << "";
        QTest::newRow("full") << "method=full";
        QTest::newRow("dropout") << "lora_dropout=0.3";
        QTest::newRow("dropout, recompute") << "lora_dropout=0.3 gradient_checkpointing=full";
        QTest::newRow("dropout, dora") << "lora_dropout=0.3 use_dora=true";
        QTest::newRow("dropout, padded") << "lora_dropout=0.3 padding=longest";
        QTest::newRow("dropout, padded left") << "lora_dropout=0.3 padding=longest padding_side=left";
        QTest::newRow("packed") << "lora_dropout=0.3 packing=true max_length=64 batch_size=2";
        QTest::newRow("mean of means") << "lora_dropout=0.3 loss_normalization=micro_batch_mean batch_size=3";
        QTest::newRow("rows held out") << "eval_share=0.3 eval_every=1";
    }

    void splitGivesTheSameNumbers()
    {
        QFETCH(QString, options);
        // AdamW blows rounding up where gradients are near zero, by as much as the learning rate.
        std::vector<std::string> assignments { "learning_rate=2e-4" };
        for (const QString& option : options.split(' ', Qt::SkipEmptyParts))
            assignments.push_back(option.toStdString());
        const TrainingJob whole = job(assignments);
        assignments.emplace_back("batch_size=1");
        if (options.contains("padding"))
            assignments.insert(assignments.end(), { "padding=max_length", "max_length=39" }); // as the longest row
        const int64_t single = planOf(job(assignments)).peakAllocated;
        TrainingJob split = limited(whole, single + (planOf(whole).peakAllocated - single) / 8);
        split.config.values.onOutOfMemory = OutOfMemoryAction::split;
        const Record right = run(whole);
        const Record record = run(split);
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        compareSteps(record, right);
        const auto& summary = record.states.back().summary;
        QVERIFY(summary.splitSteps > 0);
        QCOMPARE(std::ranges::count_if(record.steps,
                     [](const StepMetrics& step) { return step.note.find("did not fit") != std::string::npos; }),
            summary.splitSteps);
        QVERIFY(summary.peakAllocated <= split.config.values.memoryLimit);
    }

    void compareSteps(const Record& record, const Record& right)
    {
        QCOMPARE(record.steps.size(), right.steps.size());
        for (size_t i = 0; i < right.steps.size(); ++i) {
            const StepMetrics &a = record.steps[i], &b = right.steps[i];
            const auto close = [&](double one, double other) {
                QVERIFY2(std::abs(one - other) < 1e-5 * std::max(1.0, other),
                    qPrintable(
                        QStringLiteral("step %1: %2, not %3").arg(i + 1).arg(one, 0, 'g', 10).arg(other, 0, 'g', 10)));
            };
            close(*a.loss, *b.loss);
            close(*a.gradNorm, *b.gradNorm);
            QCOMPARE(a.tokens, b.tokens);
            QCOMPARE(a.supervisedTokens, b.supervisedTokens);
            QCOMPARE(a.paddedTokens, b.paddedTokens);
        }
        QCOMPARE(record.evaluations.size(), right.evaluations.size());
        for (size_t i = 0; i < right.evaluations.size(); ++i)
            QVERIFY(std::abs(*record.evaluations[i].loss - *right.evaluations[i].loss) < 1e-5);
    }

    void oneRowThatDoesNotFitStops()
    {
        const auto single = planOf(job({ "batch_size=1" }));
        TrainingJob made = limited(job({}), single.resident + (single.peakAllocated - single.resident) / 4, "one row");
        made.config.values.onOutOfMemory = OutOfMemoryAction::split;
        const Record record = run(made);
        checkLimited(record, "one row");
        QCOMPARE(reportOf(record).rowLengths.size(), size_t { 1 });
    }
};

QTEST_GUILESS_MAIN(TestOutOfMemory)
#include "tst_out_of_memory.moc"
