#include "tests/core/train/tiny_models.h"

#include "core/base/files.h"
#include "core/data/files/parallel.h"
#include "core/memory/automatic_types.h"
#include "core/memory/device.h"
#include "core/train/doctor.h"
#include "core/train/dry_run.h"
#include "core/train/effective_batch.h"
#include "core/train/measure_operations.h"
#include "core/train/plan_memory.h"
#include "core/train/planned_batches.h"
#include "core/train/trainee.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <torch/version.h>

using namespace tunebench;
using namespace tunebench::test;

namespace {

std::vector<RowExtent> extentsOf(const std::vector<std::pair<uint32_t, uint32_t>>& rows)
{
    std::vector<RowExtent> extents;
    for (const auto& [tokens, supervised] : rows) {
        RowExtent extent;
        extent.tokens = tokens;
        extent.supervised = supervised;
        extent.firstTarget = tokens - supervised;
        extents.push_back(extent);
    }
    return extents;
}

double flopsOf(const std::vector<OperationCount>& counts)
{
    return std::accumulate(
        counts.begin(), counts.end(), 0.0, [](double sum, const OperationCount& count) { return sum + count.flops; });
}

int64_t trainedNumbers(const RunConfig& config, const ModelSpec& spec)
{
    auto trainee = makeTrainee(config, spec, nullptr, nullptr, at::kMeta).value();
    int64_t numbers = 0;
    for (const Parameter* parameter : trainee.decoder.trainedParameters())
        numbers += parameter->value.numel();
    return numbers;
}

} // namespace

class TestPlanMemory : public QObject {
    Q_OBJECT

    static RunConfig config()
    {
        RunConfig made = referenceConfig(Method::lora);
        made.batchSize = 2;
        made.accumulationSteps = 1;
        made.evalShare = 0;
        made.order = RowOrder::sequential;
        made.maxLength = 128;
        return made;
    }

private Q_SLOTS:
    /// The most tokens, the longest row and the most supervised tokens stand in three micro-batches; the one that is
    /// smaller than another in everything is left out.
    void extremesAreFound()
    {
        const auto extents
            = extentsOf({ { 50, 5 }, { 50, 5 }, { 90, 3 }, { 1, 1 }, { 30, 29 }, { 30, 29 }, { 20, 2 }, { 20, 2 } });
        const PlannedBatches batches = planBatches({ extents }, config());
        std::set<int64_t> tokens;
        for (const MicroBatch& batch : batches.extreme)
            tokens.insert(batch.tokens);
        QCOMPARE(tokens, (std::set<int64_t> { 100, 91, 60 }));
        QCOMPARE(batches.typical.tokens, int64_t { 100 }); // nearest to the mean in tokens and supervised tokens
        QCOMPARE(batches.typicalShare, 72.75 / 100);
        QCOMPARE(batches.microBatchesPerStep, 1.0);
        QVERIFY(planBatches({}, config()).extreme.empty());
    }

    /// Rows that are held out and longer than any that is learnt make the evaluation the peak.
    void evaluationIsPlanned()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig options = config();
        options.evalShare = 0.5;
        const auto isHeldOut = drawHeldOut(16, options);
        const auto extentsWith = [&](uint32_t heldOut, uint32_t learnt) {
            std::vector<std::pair<uint32_t, uint32_t>> rows;
            for (const bool held : isHeldOut)
                rows.emplace_back(held ? heldOut : learnt, held ? heldOut / 2 : learnt / 2);
            return extentsOf(rows);
        };
        const auto evaluated = [&](uint32_t heldOut, uint32_t learnt) {
            return planBatches({ extentsWith(heldOut, learnt) }, options).evaluation;
        };
        const auto peak = [&](uint32_t heldOut) {
            return planModel(options, model.files.spec, { extentsWith(heldOut, 4) }, PlanDetail::memory)
                .value()
                .peakAllocated;
        };
        const auto larger = evaluated(90, 4);
        QCOMPARE(larger.size(), size_t { 1 });
        QCOMPARE(larger.front().tokens, int64_t { 90 }); // more slots than training has at once, so it is alone
        QVERIFY(evaluated(90, 90).empty());
        QVERIFY(peak(90) > peak(4));
        options.evalDataset = { "other.jsonl" }; // nothing is held out then
        QVERIFY(evaluated(90, 4).empty());
    }

    /// Rows of eval_dataset are all evaluated, whatever max_rows says, after truncation.
    void rowsForEvaluationAlonePlanned()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig options = config();
        options.evalDataset = { "other.jsonl" };
        options.maxRows = 1;
        options.maxLength = 70;
        const auto dataset = extentsOf({ { 30, 5 }, { 60, 5 } });
        const auto planWith = [&](const std::vector<RowExtent>& evaluation) {
            return planBatches({ dataset, evaluation }, options);
        };
        const auto longer = extentsOf({ { 20, 3 }, { 90, 60 } });
        const auto planned = planWith(longer);
        QCOMPARE(planned.counts.totalSteps, int64_t { 1 });
        QCOMPARE(planned.evaluation.size(), size_t { 1 });
        QCOMPARE(planned.evaluation.front().tokens, int64_t { 70 });
        QVERIFY(planWith(extentsOf({ { 30, 5 } })).evaluation.empty());
        QVERIFY(planWith({}).evaluation.empty());
        const auto dropped = extentsOf({ { 200, 60 } });
        options.truncation = Truncation::drop;
        const auto refused = planModel(options, model.files.spec, { dataset, dropped }, PlanDetail::memory);
        QVERIFY(!refused && refused.error().message.find("evaluate on") != std::string::npos);
        options.truncation = Truncation::right;
        const auto peak = [&](const RunExtents& extents) {
            return planModel(options, model.files.spec, extents, PlanDetail::memory).value().peakAllocated;
        };
        QVERIFY(peak({ dataset, longer }) > peak({ dataset }));
        const auto plan = planModel(options, model.files.spec, { dataset, longer }, PlanDetail::all).value();
        QCOMPARE(plan.place.pass, std::string_view("evaluation"));
        QVERIFY(std::ranges::max_element(plan.curve, {}, &CurvePoint::peak)->peak < plan.peakAllocated);
    }

    /// What a product costs is what its shape says, forward and for the input's gradient; recompute adds the forward
    /// of the layers once more.
    void productsAreCounted()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig options = adapterConfig(model);
        const auto count = [&](GradientCheckpointing kind, int64_t layers) {
            RunConfig changed = options;
            changed.gradientCheckpointing = kind;
            ModelSpec spec = model.files.spec;
            spec.layers = layers;
            return flopsOf(countOperations(changed, spec, groupAt(model.rows, changed, 0).front()).value().microBatch);
        };
        const double one = count(GradientCheckpointing::off, 1), two = count(GradientCheckpointing::off, 2),
                     three = count(GradientCheckpointing::off, 3);
        QVERIFY(one > 0);
        QCOMPARE(three - two, two - one); // layers are alike
        const double recomputed = count(GradientCheckpointing::full, 3) - three;
        const double more = count(GradientCheckpointing::full, 2) - two;
        QCOMPARE(recomputed / 3, more / 2);
        const auto tokens = static_cast<double>(groupAt(model.rows, options, 0).front().tokens);
        const ModelSpec& spec = model.files.spec;
        const auto hidden = static_cast<double>(spec.hiddenSize), wide = static_cast<double>(spec.intermediateSize),
                   query = static_cast<double>(spec.heads * spec.headSize),
                   key = static_cast<double>(spec.keyValueHeads * spec.headSize);
        const double projections = 2 * tokens * hidden * (2 * query + 2 * key + 3 * wide);
        QVERIFY(recomputed / 3 > projections); // those of adapters and of attention come on top
        QVERIFY(recomputed / 3 < 1.6 * projections);
    }

    /// Each thread has a meta device of its own.
    void plansDoNotDisturbEachOther()
    {
        const TinyModel model = openTinyModel("gemma2");
        std::vector<RunConfig> configs;
        for (const int64_t batch : { 1, 2, 3, 4, 5, 6 }) {
            configs.push_back(config());
            configs.back().batchSize = batch;
        }
        const auto extents = extentsOf({ { 50, 5 }, { 40, 9 }, { 90, 3 }, { 10, 1 }, { 30, 29 }, { 31, 29 } });
        const auto peak = [&](const RunConfig& options) {
            return planModel(options, model.files.spec, { extents }, PlanDetail::all).value().peakAllocated;
        };
        std::vector<int64_t> alone, together(configs.size() * 4);
        std::ranges::transform(configs, std::back_inserter(alone), peak);
        parallelFor(together.size(), 4, [&](size_t i) { together[i] = peak(configs[i % configs.size()]); });
        for (size_t i = 0; i < together.size(); ++i)
            QCOMPARE(together[i], alone[i % alone.size()]);
        QVERIFY(std::ranges::is_sorted(alone));
    }

    /// On a card sizes are rounded to 512 bytes, cuBLAS holds its workspace, and segments hold more than tensors.
    void plansForACard()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig options = config();
        const auto extents = extentsOf({ { 50, 5 }, { 40, 9 } });
        const auto onCpu = planModel(options, model.files.spec, { extents }, PlanDetail::all).value();
        QVERIFY(!onCpu.peakReserved && onCpu.libraryWorkspace == 0);
        options.device = "cuda:0";
        options.card = "GTX 1650";
        const auto onCard = planModel(options, model.files.spec, { extents }, PlanDetail::all).value();
        QCOMPARE(onCard.libraryWorkspace, int64_t { (2 * 4096 + 8 * 16) * 1024 });
        QVERIFY(onCard.peakAllocated - onCard.libraryWorkspace >= onCpu.peakAllocated);
        QVERIFY(onCard.peakReserved && *onCard.peakReserved >= onCard.peakAllocated);
        QCOMPARE(*onCard.peakReserved % (int64_t { 2 } << 20), int64_t { 0 });
        QVERIFY(onCard.fits());
        options.card = "H100";
        QCOMPARE(planModel(options, model.files.spec, { extents }, PlanDetail::all).value().libraryWorkspace,
            int64_t { 32 } << 20);
    }

    /// A card that was not measured has the time that its published speeds allow, in the types that it multiplies.
    void publishedSpeedsGiveATime()
    {
        if (cudaDeviceCount() > 0)
            QSKIP("A card of this machine may have been measured.");
        const TinyModel model = openTinyModel("llama");
        RunConfig options = config();
        options.device = "cuda:0";
        const auto extents = extentsOf(std::vector(8, std::pair(50U, 5U)));
        const auto plan = [&](const char* card, NumberType type, PlanDetail detail = PlanDetail::figures) {
            options.card = card;
            options.compute = options.precision = type;
            return planModel(options, model.files.spec, { extents }, detail).value();
        };
        const auto slow = plan("GTX 1650", NumberType::fp32), fast = plan("RTX 4090", NumberType::fp32);
        QVERIFY(!slow.secondsPerStep && slow.secondsAtBest && fast.secondsAtBest);
        QCOMPARE(slow.seconds(), slow.secondsAtBest);
        QCOMPARE(slow.noTime, std::string("No GTX 1650 was measured on this machine."));
        const double memories = 1008.0 / 128, products = 82580.0 / 2984; // the two cards' published speeds
        const double factor = *slow.secondsAtBest / *fast.secondsAtBest;
        QVERIFY2(factor > 0.999 * memories && factor < products, qPrintable(QString::number(factor)));
        const auto memoryAlone = plan("GTX 1650", NumberType::fp32, PlanDetail::memory);
        QCOMPARE(memoryAlone.peakAllocated, slow.peakAllocated);
        QVERIFY(!memoryAlone.seconds());
        options.accumulationSteps = 2;
        QVERIFY(*plan("GTX 1650", NumberType::fp32).secondsAtBest > 1.5 * *slow.secondsAtBest);
        const auto without = plan("GTX 1650", NumberType::bf16);
        QVERIFY(!without.seconds());
        QCOMPARE(without.noTime, std::string("No GTX 1650 was measured on this machine, and it has no bf16."));
    }

    /// What a card gives away to the computer is planned as the computer's memory: what a checkpoint saves, or the
    /// input of each layer.
    void savedAndOffloadedBytesAreTheComputers()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig options = config();
        options.device = "cuda:0";
        options.card = "GTX 1650";
        const auto extents = extentsOf({ { 50, 5 }, { 40, 9 } });
        const auto plan
            = [&] { return planModel(options, model.files.spec, { extents }, PlanDetail::figures).value(); };
        options.optimizer = OptimizerKind::sgd; // keeps nothing of its own
        const int64_t trained = trainedNumbers(options, model.files.spec) * int64_t { sizeof(float) };
        QCOMPARE(plan().hostBytes, trained);
        options.gradientCheckpointing = GradientCheckpointing::offload;
        QCOMPARE(plan().hostBytes, model.files.spec.layers * 90 * model.files.spec.hiddenSize * 4);
        options.optimizer = OptimizerKind::adamw; // keeps two numbers for each
        QCOMPARE(plan().hostBytes, 3 * trained);
        options.device = "cpu";
        const MemoryPlan onCpu = plan();
        QCOMPARE(onCpu.hostBytes, onCpu.peakProcess.value_or(onCpu.peakAllocated));
        QVERIFY(onCpu.hostFree > 0 && !onCpu.swaps());
    }

    void effectiveBatchIsSolved_data()
    {
        QTest::addColumn<qint64>("room"); // below the peak of a batch of so many rows
        QTest::addColumn<QStringList>("set");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("accumulation");
        QTest::newRow("all fits") << qint64(100) << QStringList {} << 12 << 1;
        QTest::newRow("6 do not, 4 do") << qint64(6) << QStringList {} << 4 << 3;
        QTest::newRow("2 do not") << qint64(2) << QStringList {} << 1 << 12;
        QTest::newRow("not even 1") << qint64(1) << QStringList {} << 1 << 12;
        QTest::newRow("batch_size was set") << qint64(100) << QStringList { "batch_size=3" } << 3 << 4;
        QTest::newRow("accumulation_steps was set") << qint64(100) << QStringList { "accumulation_steps=6" } << 2 << 6;
    }

    /// The largest divisor that fits below the limit.
    void effectiveBatchIsSolved()
    {
        QFETCH(qint64, room);
        QFETCH(QStringList, set);
        QFETCH(int, batch);
        QFETCH(int, accumulation);
        const auto extents = extentsOf(std::vector<std::pair<uint32_t, uint32_t>>(24, { 60, 30 }));
        ConfigChoice choice { config(), {} };
        choice.values.effectiveBatch = 12;
        for (const QString& assignment : set)
            QVERIFY(applyAssignment(choice, assignment.toStdString()).has_value());
        RunModel run { choice.values, openTinyModel("llama").files, {} };
        RunConfig tight = run.config;
        tight.batchSize = room;
        tight.effectiveBatch.reset();
        run.config.memoryLimit
            = planModel(tight, run.model.spec, { extents }, PlanDetail::figures).value().peakAllocated - 1;
        const auto solved = solveEffectiveBatch(run, choice.set, { extents });
        QVERIFY(solved.has_value());
        QCOMPARE(run.config.batchSize, int64_t { batch });
        QCOMPARE(run.config.accumulationSteps, int64_t { accumulation });
        QVERIFY2(solved->find("batch_size " + std::to_string(batch)) != std::string::npos, solved->c_str());
    }

    void curveReachesThePeak()
    {
        const TinyModel model = openTinyModel("llama");
        const auto extents = extentsOf({ { 50, 5 }, { 40, 9 }, { 20, 1 } });
        const auto plan = planModel(config(), model.files.spec, { extents }, PlanDetail::all).value();
        QVERIFY(!plan.curve.empty());
        QCOMPARE(std::ranges::max_element(plan.curve, {}, &CurvePoint::peak)->peak, plan.peakAllocated);
        QCOMPARE(plan.curve.back().place.pass, std::string_view("update"));
        QVERIFY(plan.typicalPeak > plan.resident && plan.typicalPeak <= plan.peakAllocated);
        const auto pass = [&](std::string_view name) {
            return std::ranges::count(plan.curve, name, [](const CurvePoint& point) { return point.place.pass; });
        };
        QVERIFY(pass("forward") >= 2 * model.files.spec.layers);
        QVERIFY(pass("backward") >= 2 * model.files.spec.layers);
    }

    void everyMomentOfAStepIsNamed_data()
    {
        QTest::addColumn<bool>("pairs");
        QTest::addColumn<QStringList>("passes");
        QTest::newRow("rows") << false << QStringList { "forward", "backward", "update" };
        QTest::newRow("pairs") << true << QStringList { "forward", "reference", "forward", "backward", "update" };
    }

    void everyMomentOfAStepIsNamed()
    {
        QFETCH(bool, pairs);
        QFETCH(QStringList, passes);
        const TinyModel model = openTinyModel("llama");
        RunConfig options = config();
        options.objective = pairs ? Objective::dpo : Objective::sft;
        const auto extents = extentsOf({ { 50, 5 }, { 40, 9 }, { 20, 1 }, { 30, 7 } });
        const auto plan = planModel(options, model.files.spec, { extents }, PlanDetail::all).value();
        QStringList met;
        std::set<int> layers;
        for (const CurvePoint& point : plan.curve) {
            const QString pass = QString::fromUtf8(point.place.pass.data(), std::ssize(point.place.pass));
            if (met.isEmpty() || met.back() != pass)
                met.push_back(pass);
            if (pass == passes.front() && point.place.layer >= 0)
                layers.insert(point.place.layer);
        }
        QCOMPARE(met, passes);
        QCOMPARE(layers.size(), static_cast<size_t>(model.files.spec.layers));
    }

    /// A stored measurement that still holds is not made again, and is newer than the program afterwards.
    void storedMeasurementIsKept()
    {
        if (cudaDeviceCount() > 0)
            QSKIP("The report is made up for a machine without cards.");
        const QTemporaryDir folder;
        qputenv("XDG_DATA_HOME", folder.path().toUtf8());
        MachineReport report { .libtorch = TORCH_VERSION, .driver = "", .devices = { knownDevice("cpu") } };
        report.devices.front().types = { { .type = NumberType::fp32, .gflops = 12345, .worstRelativeError = {} } };
        const auto file = dataDirectory() / "device.json";
        std::filesystem::create_directories(file.parent_path());
        QVERIFY(writeFileAtomically(file, reportToJson(report).dump()));
        const auto old = std::filesystem::last_write_time(file) - std::chrono::hours(24);
        std::filesystem::last_write_time(file, old);
        QCOMPARE(reportToJson(knownMachine()).dump(), reportToJson(report).dump());
        QVERIFY(std::filesystem::last_write_time(file) > old + std::chrono::hours(23));
        qunsetenv("XDG_DATA_HOME");
    }

    /// A measurement that is stopped ends at once and leaves no file behind.
    void stoppedMeasurementIsNotStored()
    {
        if (cudaDeviceCount() > 0)
            QSKIP("The products of cards are measured before anything else.");
        const QTemporaryDir folder;
        qputenv("XDG_DATA_HOME", folder.path().toUtf8());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(examineMachine(stop.get_token()).devices.front().operations.empty());
        QVERIFY(!std::filesystem::exists(dataDirectory() / "device.json"));
        qunsetenv("XDG_DATA_HOME");
    }

    /// What was timed has a price, and the prices of the step that was timed are near its time.
    void stepsAreTimed()
    {
        initializeEngine();
        const auto timed = measureOperations(NumberType::fp32, at::kCPU, {});
        const auto prices = fitPrices(timed);
        for (const char* kind : { "tunebench::unpack_nf4 Float parallel", "tunebench::dropout_mask Float parallel",
                 "aten::to BFloat16 parallel" }) {
            const auto price = std::ranges::find(prices, kind, &OperationPrice::kind);
            QVERIFY2(price != prices.end() && price->byte > 0, kind);
        }
        std::vector<OperationCount> counts;
        double seconds = 0;
        for (const TimedOperation& one : timed) {
            counts.push_back(one.work);
            seconds += one.seconds;
        }
        QVERIFY(seconds > 0);
        const double predicted = secondsOf(counts, prices);
        QVERIFY2(predicted > seconds / 2 && predicted < seconds * 2,
            qPrintable(QStringLiteral("%1 s of %2 s").arg(predicted).arg(seconds)));
    }
};

QTEST_APPLESS_MAIN(TestPlanMemory)
#include "tst_plan_memory.moc"
