#include "tests/core/train/operation_bytes.h"
#include "tests/core/train/tiny_models.h"

#include "core/config/choices.h"
#include "core/config/options.h"
#include "core/memory/counting_allocator.h"
#include "core/memory/device.h"
#include "core/train/dry_run.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <QTest>
#include <numeric>

using namespace tunebench;
using namespace tunebench::test;

namespace {

/// Large enough that activations and logits matter, small enough to run in a second. Rows exceed the window.
ModelSpec mediumSpec(bool tied, const std::string& familyName = "llama")
{
    const ModelFamily& family = *familyByName(familyName);
    ModelSpec spec;
    applyFamily(spec, family);
    spec.hiddenSize = 192;
    spec.layers = 4;
    spec.heads = 6;
    spec.keyValueHeads = 2;
    spec.headSize = 32;
    spec.intermediateSize = 512;
    spec.vocabularySize = 8192;
    spec.contextLength = 1024;
    spec.tiedEmbeddings = tied;
    if (family.slidingWindow != ModelFamily::SlidingWindow::never) {
        spec.slidingWindow = 100;
        spec.slidingLayers = { true, false, true, false };
    }
    if (family.defaultLocalTheta > 0)
        spec.slidingRope = RopeSpec { .theta = family.defaultLocalTheta };
    spec.attentionSoftcap = family.defaultAttentionSoftcap;
    spec.finalSoftcap = family.defaultFinalSoftcap;
    return spec;
}

/// Adds a row whose second half is supervised.
void append(TokenRow& row, int length)
{
    for (int i = 0; i < length; ++i) {
        row.ids.push_back(i);
        row.labels.push_back(i < length / 2 ? ignoredLabel : i);
    }
}

/// Rows of the given lengths; of pairs the first quarter is the chosen answer's.
std::vector<TokenRow> rowsOf(std::initializer_list<int> lengths, Objective objective)
{
    std::vector<TokenRow> rows;
    for (const int length : lengths) {
        const int chosen = objective == Objective::dpo ? length / 4 : 0;
        TokenRow& row = rows.emplace_back();
        append(row, chosen);
        row.rejected = static_cast<size_t>(chosen);
        append(row, length - chosen);
    }
    return rows;
}

} // namespace

/// The dry run against the real one: the same code on the meta device must see the same peak.
class TestDryRun : public QObject {
    Q_OBJECT

    /// The options and the model of a row of peakIsTheMeasuredOne_data().
    static std::pair<RunConfig, ModelSpec> fetchedRun()
    {
        QFETCH(int, type);
        QFETCH(bool, full);
        QFETCH(int, recomputeEvery);
        QFETCH(bool, mixed);
        QFETCH(QString, family);
        QFETCH(QStringList, options);
        ConfigChoice choice { referenceConfig(full ? Method::full : Method::lora), {} };
        if (family == "llama")
            choice.values.loraTargets = { "q_proj", "v_proj", "down_proj" };
        for (const QString& option : options) {
            if (!applyAssignment(choice, option.toStdString()))
                qFatal("%s is no option", qPrintable(option));
        }
        RunConfig& config = choice.values;
        config.compute = static_cast<NumberType>(type);
        if (!choice.set.contains("precision"))
            config.precision = mixed ? NumberType::bf16 : full ? NumberType::fp32 : config.compute;
        config.batchSize = 2;
        config.gradientCheckpointing = recomputeEvery > 0 ? GradientCheckpointing::full : GradientCheckpointing::off;
        config.checkpointEveryLayers = std::max(1, recomputeEvery);
        return { config, mediumSpec(!full, family.toStdString()) };
    }

    /// What the operations of two steps take on a device.
    static std::vector<OperationBytes> bytesOfSteps(const RunConfig& config, const ModelSpec& spec, at::Device device)
    {
        const at::AutoDispatchBelowADInplaceOrView noGradients;
        std::optional<MetaTrace> rounding;
        if (device.is_meta())
            rounding.emplace(int64_t { MemoryLedger::rounding });
        Trainee trainee = makeTrainee(config, spec, nullptr, nullptr, device).value();
        if (!device.is_meta()) {
            trainee.decoder.forEachBaseParameter([](Parameter& parameter) { fillWith(parameter, 0.01F); });
            for (Parameter* parameter : trainee.decoder.trainedParameters())
                fillWith(*parameter, 0.01F);
        }
        const auto rows = rowsOf({ 250, 270, 64, 31 }, config.objective); // 520 tokens: pieces of 256 are made twice
        const OperationBytesRecorder recorder(device.is_meta() ? metaLedger() : cpuLedger());
        for (int step = 0; step < 2; ++step)
            trainStep(trainee, config, groupAt(rows, config, 0), 1e-3, [] { return true; });
        return recorder.operations();
    }

private Q_SLOTS:
    void peakIsTheMeasuredOne_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("full");
        QTest::addColumn<int>("recomputeEvery");
        QTest::addColumn<bool>("mixed");
        QTest::addColumn<QString>("family");
        QTest::addColumn<QStringList>("options");
        const QStringList none;
        constexpr NumberType computeTypes[] { NumberType::fp32, NumberType::bf16, NumberType::fp16 };
        const auto nameOf = [](NumberType type) { return std::string(choiceName(type)); };
        for (const NumberType type : computeTypes) {
            for (const int every : { 0, 1, 3 }) {
                QTest::addRow("%s lora recompute %d", nameOf(type).c_str(), every)
                    << static_cast<int>(type) << false << every << false << "llama" << none;
                QTest::addRow("%s full recompute %d", nameOf(type).c_str(), every)
                    << static_cast<int>(type) << true << every << false << "llama" << none;
            }
        }
        for (const ModelFamily& family : modelFamilies()) {
            const std::string name(family.name);
            for (const bool full : { false, true }) {
                for (const int every : { 0, 1 })
                    QTest::addRow("%s %s recompute %d", name.c_str(), full ? "full" : "lora", every)
                        << static_cast<int>(NumberType::fp32) << full << every << false << name.c_str() << none;
            }
        }
        const auto row = [&](NumberType type, bool full, int every, bool mixed, const char* options,
                             const char* family = "llama") {
            QTest::addRow("%s %s %s%s%s: %s", family, nameOf(type).c_str(), full ? "full" : "lora",
                every > 0 ? ", recompute" : "", mixed ? ", bf16 weights" : "", options)
                << static_cast<int>(type) << full << every << mixed << family << QString(options).split(' ');
        };
        row(NumberType::fp32, false, 0, true, "optimizer=adamw");
        row(NumberType::fp32, false, 0, false, "optimizer=lion");
        row(NumberType::fp32, true, 0, false, "optimizer=sgd");
        for (const char* optimizer : { "optimizer=adafactor", "optimizer=adamw_8bit" }) {
            row(NumberType::fp32, false, 0, false, optimizer);
            row(NumberType::fp32, true, 0, false, optimizer);
        }
        for (const NumberType type : computeTypes) {
            for (const int every : { 0, 1 }) {
                row(type, false, every, false, "objective=dpo");
                row(type, false, every, false, "objective=dpo dpo_loss=ipo");
                row(type, false, every, false, "lora_dropout=0.1");
                row(type, false, every, false, "use_dora=true");
                row(type, false, every, true, "use_dora=true lora_targets=gate_proj");
                row(type, false, every, true, "use_dora=true lora_dropout=0.1 lora_targets=all-linear");
                row(type, false, every, false, "modules_to_save=embed_tokens,lm_head");
                row(type, false, every, true, "modules_to_save=norm,k_proj use_dora=true");
                row(type, false, every, false, "precision=nf4 use_dora=true lora_dropout=0.1 lora_targets=all-linear");
                row(type, false, every, false, "precision=nf4 modules_to_save=norm,k_proj,embed_tokens");
                for (const ModelFamily& family : modelFamilies())
                    row(type, false, every, false, "precision=nf4", std::string(family.name).c_str());
            }
        }
    }

    void peakIsTheMeasuredOne()
    {
        const auto [config, spec] = fetchedRun();
        const auto rows = rowsOf({ 37, 300, 129, 64, 200, 31 }, config.objective);
        const std::vector<std::vector<MicroBatch>> steps { groupAt(rows, config, 0), groupAt(rows, config, 1) };

        const auto planned = dryRun(config, spec, steps);
        QVERIFY(planned.has_value());
        const int64_t before = cpuLedger().allocated();
        cpuLedger().resetPeak();
        {
            Trainee trainee = makeTrainee(config, spec, nullptr, nullptr, at::kCPU).value();
            trainee.decoder.forEachBaseParameter([](Parameter& parameter) { fillWith(parameter, 0.01F); });
            for (const auto& group : steps)
                trainStep(trainee, config, group, 1e-3, [] { return true; });
        }
        const int64_t measured = cpuLedger().peak() - before;
        QCOMPARE(cpuLedger().allocated(), before);
        QCOMPARE(planned->peakAllocated, measured);
        QCOMPARE(
            std::accumulate(planned->atPeak.begin(), planned->atPeak.end(), int64_t { 0 }), planned->peakAllocated);
    }

    void operationsTakeWhatIsPlanned_data() { peakIsTheMeasuredOne_data(); }

    /// Wherever the peak is: an operation that takes more on the device than on meta makes some other run's plan wrong.
    void operationsTakeWhatIsPlanned()
    {
        auto [config, spec] = fetchedRun();
        spec.vocabularySize = 512;
        spec.layers = 2;
        spec.slidingLayers.resize(std::min<size_t>(2, spec.slidingLayers.size()));
        initializeEngine();
        const auto planned = bytesOfSteps(config, spec, at::kMeta), measured = bytesOfSteps(config, spec, at::kCPU);
        const auto [onMeta, onCpu] = std::ranges::mismatch(planned, measured, takesWhatIsPlanned);
        const auto told = [](const auto& list, auto at) { return at == list.end() ? "nothing" : at->text(); };
        QVERIFY2(onMeta == planned.end() && onCpu == measured.end(),
            ("planned " + told(planned, onMeta) + ", measured " + told(measured, onCpu)).c_str());
        QVERIFY(planned.size() > 50);
    }

    void recomputeAndSmallerTypesNeedLess()
    {
        const auto peak = [](NumberType type, bool recompute) {
            RunConfig config = referenceConfig(Method::lora);
            config.precision = config.compute = type;
            config.gradientCheckpointing = recompute ? GradientCheckpointing::full : GradientCheckpointing::off;
            const auto rows = rowsOf({ 300, 300, 300, 300, 300, 300, 300, 300 }, config.objective);
            const std::vector<std::vector<MicroBatch>> steps { groupAt(rows, config, 0) };
            return dryRun(config, mediumSpec(true), steps).value().peakAllocated;
        };
        QVERIFY(peak(NumberType::fp32, true) < peak(NumberType::fp32, false));
        QVERIFY(peak(NumberType::bf16, false) < peak(NumberType::fp32, false));
        QVERIFY(peak(NumberType::bf16, true) < peak(NumberType::bf16, false));
    }

    void limitRefusesMore()
    {
        RunConfig config = referenceConfig(Method::lora);
        initializeEngine();
        QVERIFY(limitMemory(at::kCPU, cpuLedger().allocated() + (4 << 20)).has_value());
        bool refused = false;
        try {
            static_cast<void>(makeTrainee(config, mediumSpec(true), nullptr, nullptr, at::kCPU));
        } catch (const std::exception& error) {
            refused = std::string_view(error.what()).find("memory limit") != std::string_view::npos;
        }
        QVERIFY(limitMemory(at::kCPU, 0).has_value());
        QVERIFY(refused);
        QVERIFY(makeTrainee(config, mediumSpec(true), nullptr, nullptr, at::kCPU).has_value());
    }
};

QTEST_APPLESS_MAIN(TestDryRun)
#include "tst_dry_run.moc"
