#include "tests/ui/scripted_plans.h"
#include "tests/ui/ui_test.h"
#include "ui/plan/plan_queue.h"
#include "ui/plan/shape_fit.h"
#include "ui/plan/variation.h"

#include <QSignalSpy>

#include <atomic>

using namespace tunebench;

class TestPlanParts : public QObject {
    Q_OBJECT
private slots:
    void variationsKeepTheEffectiveBatch_data();
    void variationsKeepTheEffectiveBatch();
    void variationsSetNumbersAsTheMethodAllows();
    void fitIsJudgedByTheLimit_data();
    void fitIsJudgedByTheLimit();
    void shapesAreSearched_data();
    void lengthsEndWithTheLongestRow();
    void shapesAreSearched();
    void plansAreMadeSeveralAtOnceAndKept();
    void staleQuestionsAreDropped();
};

void TestPlanParts::variationsKeepTheEffectiveBatch_data()
{
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("accumulation");
    QTest::newRow("one") << 1 << 12;
    QTest::newRow("divides") << 6 << 2;
    QTest::newRow("whole") << 12 << 1;
    QTest::newRow("does not divide") << 8 << 1;
    QTest::newRow("larger") << 16 << 1;
}

void TestPlanParts::variationsKeepTheEffectiveBatch()
{
    QFETCH(int, batch);
    QFETCH(int, accumulation);
    ConfigChoice choice;
    choice.values.batchSize = 4;
    choice.values.accumulationSteps = 3;
    choice.set = { "accumulation_steps" };
    ConfigChoice solved;
    solved.values.effectiveBatch = 12;
    solved.set = { "effective_batch" };
    const ConfigChoice chosen = varied(solved, { .batchSize = batch });
    QVERIFY(!chosen.values.effectiveBatch && !chosen.set.contains("effective_batch"));
    QCOMPARE(chosen.values.accumulationSteps, accumulation);
    const ConfigChoice other = varied(choice, { .batchSize = batch, .maxLength = 96 });
    QCOMPARE(other.values.batchSize, batch);
    QCOMPARE(other.values.accumulationSteps, accumulation);
    QCOMPARE(other.values.maxLength, 96);
    QVERIFY(other.set.contains("batch_size") && other.set.contains("max_length"));
}

void TestPlanParts::variationsSetNumbersAsTheMethodAllows()
{
    ConfigChoice choice;
    const ConfigChoice lora = varied(choice, { .numbers = NumberType::fp16 });
    QCOMPARE(lora.values.precision, NumberType::fp16);
    QCOMPARE(lora.values.compute, NumberType::fp16);
    const ConfigChoice packed = varied(choice, { .numbers = NumberType::nf4 });
    QCOMPARE(packed.values.precision, NumberType::nf4);
    QCOMPARE(packed.values.compute, NumberType::automatic);
    choice.values.method = Method::full;
    const ConfigChoice full
        = varied(choice, { .numbers = NumberType::fp16, .checkpointing = GradientCheckpointing::off });
    QCOMPARE(full.values.precision, NumberType::automatic);
    QCOMPARE(full.values.compute, NumberType::fp16);
    QVERIFY(!full.set.contains("gradient_checkpointing")); // the default
}

void TestPlanParts::fitIsJudgedByTheLimit_data()
{
    QTest::addColumn<int>("needed");
    QTest::addColumn<int>("limit");
    QTest::addColumn<int>("fit");
    QTest::newRow("no limit") << 100 << 0 << int(Fit::unknown);
    QTest::newRow("fits") << 950 << 1000 << int(Fit::fits);
    QTest::newRow("tight") << 951 << 1000 << int(Fit::tight);
    QTest::newRow("exactly") << 1000 << 1000 << int(Fit::tight);
    QTest::newRow("too big") << 1001 << 1000 << int(Fit::tooBig);
}

void TestPlanParts::fitIsJudgedByTheLimit()
{
    QFETCH(int, needed);
    QFETCH(int, limit);
    QFETCH(int, fit);
    QCOMPARE(int(fitOf(needed, limit)), fit);
}

void TestPlanParts::shapesAreSearched_data()
{
    QTest::addColumn<int>("objective");
    QTest::addColumn<int>("limit"); // MiB, of a model of 10 layers
    QTest::addColumn<int>("context");
    QTest::addColumn<int>("length");
    QTest::addColumn<bool>("isMost");
    QTest::addColumn<int>("rows");
    constexpr int sft = int(Objective::sft), dpo = int(Objective::dpo);
    QTest::newRow("nothing") << sft << 10 << 4096 << 0 << false << 0;
    QTest::newRow("less than a usual row") << sft << 14 << 4096 << 384 << false << 0;
    QTest::newRow("exactly a usual row") << sft << 15 << 4096 << 512 << false << 1;
    QTest::newRow("between") << sft << 20 << 4096 << 1024 << false << 2;
    QTest::newRow("the context") << sft << 100 << 4096 << 4096 << true << 16;
    QTest::newRow("a short context") << sft << 100 << 300 << 256 << true << 16;
    QTest::newRow("a long context") << sft << 1000 << 131072 << 32768 << true << 64;
    QTest::newRow("a pair is two rows") << dpo << 20 << 4096 << 512 << false << 1;
    QTest::newRow("pairs") << dpo << 100 << 4096 << 4096 << true << 8;
}

void TestPlanParts::shapesAreSearched()
{
    QFETCH(int, objective);
    QFETCH(int, limit);
    QFETCH(int, context);
    QFETCH(int, length);
    QFETCH(bool, isMost);
    QFETCH(int, rows);
    ModelSpec spec;
    spec.layers = 10;
    spec.contextLength = context;
    RunConfig config;
    config.objective = Objective(objective);
    const ShapeFit fit = findShapeFit(plannedShape, config, spec, limit * mebibyte, {});
    QCOMPARE(fit.longest, length);
    QCOMPARE(fit.isMost, isMost);
    QCOMPARE(fit.rows, rows);
    QCOMPARE(fit.secondsPerRow.has_value(), rows > 0);
    if (rows > 0) {
        QCOMPARE(*fit.tokensPerSecond, 512.0); // of which the context may leave a part of a row
    }
}

void TestPlanParts::lengthsEndWithTheLongestRow()
{
    auto data = std::make_shared<AnalysedData>();
    PlanBasis basis { .data = data };
    basis.choice.values.maxLength = 100;
    data->lengths.longest = 250;
    QCOMPARE(plannedLengths(basis), (std::vector<int64_t> { 64, 100, 128, 256 }));
    data->lengths.longest = 20000;
    QCOMPARE(plannedLengths(basis), (std::vector<int64_t> { 100, 512, 1024, 2048, 4096, 8192, 16384, 20000 }));
}

void TestPlanParts::plansAreMadeSeveralAtOnceAndKept()
{
    std::atomic<int> calls = 0;
    PlanQueue queue({ [&calls](const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail) {
                         ++calls;
                         return planned(choice, extents, detail);
                     },
                        {} },
        nullptr);
    auto data = std::make_shared<AnalysedData>();
    data->inspection.extents.resize(3);
    queue.setData(data);
    QSignalSpy idle(&queue, &PlanQueue::becameIdle);
    int answers = 0;
    const auto count = [&answers](const Result<MemoryPlan>&) { ++answers; };
    for (int64_t length = 64; length < 128; ++length) {
        queue.ask(varied({}, { .maxLength = length }), PlanDetail::figures, count);
        queue.ask(varied({}, { .maxLength = length }), PlanDetail::figures, count); // the same question
    }
    QVERIFY(idle.wait(patience));
    QCOMPARE(answers, 128);
    QCOMPARE(calls.load(), 64);
    queue.ask(varied({}, { .maxLength = 64 }), PlanDetail::figures, count); // answered at once
    QCOMPARE(answers, 129);
    queue.setData(std::make_shared<AnalysedData>(*data));
    queue.ask(varied({}, { .maxLength = 64 }), PlanDetail::figures, count);
    QVERIFY(idle.wait(patience));
    QCOMPARE(calls.load(), 65);
}

void TestPlanParts::staleQuestionsAreDropped()
{
    PlanQueue queue({ planned, {} }, nullptr);
    auto data = std::make_shared<AnalysedData>();
    data->inspection.extents.resize(3);
    queue.setData(data);
    QSignalSpy idle(&queue, &PlanQueue::becameIdle);
    std::vector<int64_t> answered;
    const auto note = [&answered](const Result<MemoryPlan>& plan) { answered.push_back(plan->config.maxLength); };
    for (int64_t length = 64; length < 96; ++length) {
        queue.ask(varied({}, { .maxLength = length }), PlanDetail::figures, note);
    }
    queue.cancel();
    QVERIFY(queue.idle());
    queue.ask(varied({}, { .maxLength = 64 }), PlanDetail::figures, note);
    QVERIFY(idle.wait(patience));
    QCOMPARE(answered, std::vector<int64_t> { 64 });
}

TUNEBENCH_UI_TEST(TestPlanParts)
#include "tst_plan_parts.moc"
