#include "core/memory/counting_allocator.h"
#include "core/train/dry_run.h"
#include "tests/core/train/tiny_models.h"

#include <ATen/ops/equal.h>
#include <QTest>

using namespace tunebench;
using namespace tunebench::test;

/// What is computed again is what was kept, in every family: recompute changes memory and nothing else.
class TestRecompute : public QObject {
    Q_OBJECT

    /// `method` is also nf4: LoRA on weights in 4 bits.
    static RunConfig configOf(GradientCheckpointing kind, const QString& method)
    {
        RunConfig config = referenceConfig(method == "full" ? Method::full : Method::lora);
        if (method == "nf4")
            config.precision = NumberType::nf4;
        config.gradientCheckpointing = kind;
        config.checkpointEveryLayers = 2;
        return config;
    }

    static int64_t peakOf(const TinyModel& model, const RunConfig& config)
    {
        const std::vector<std::vector<MicroBatch>> steps { groupAt(model.rows, config, 0) };
        return dryRun(config, model.files.spec, steps).value().peakAllocated;
    }

private Q_SLOTS:
    void gradientsAreTheSame_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("method");
        for (const char* family : { "llama", "qwen3", "gemma", "gemma2", "gemma3_text", "phi3" }) {
            for (const char* method : { "lora", "full", "nf4" }) {
                for (const auto& [name, kind] :
                    { std::pair("full", GradientCheckpointing::full), { "selective", GradientCheckpointing::selective },
                        { "offload", GradientCheckpointing::offload } })
                    QTest::addRow("%s, %s, %s", family, name, method) << family << static_cast<int>(kind) << method;
            }
        }
    }

    void gradientsAreTheSame()
    {
        QFETCH(QString, family);
        QFETCH(int, kind);
        QFETCH(QString, method);
        const TinyModel model = openTinyModel(family.toStdString());
        const RunConfig kept = configOf(GradientCheckpointing::off, method);
        const RunConfig recomputed = configOf(static_cast<GradientCheckpointing>(kind), method);
        Trainee right = makeTinyTrainee(model, kept);
        Trainee trainee = makeTinyTrainee(model, recomputed);
        const auto group = groupAt(model.rows, kept, 0);
        trainStep(right, kept, group, 1e-3, [] { return true; });
        const auto outcome = trainStep(trainee, recomputed, group, 1e-3, [] { return true; });
        QVERIFY(outcome.times.recompute > 0);
        const auto expected = right.decoder.trainedParameters();
        const auto trained = trainee.decoder.trainedParameters();
        for (size_t i = 0; i < trained.size(); ++i)
            QVERIFY2(at::equal(trained[i]->gradient, expected[i]->gradient), trained[i]->name.c_str());
    }

    void plannedPeakIsTheMeasuredOne_data() { gradientsAreTheSame_data(); }

    void plannedPeakIsTheMeasuredOne()
    {
        QFETCH(QString, family);
        QFETCH(int, kind);
        QFETCH(QString, method);
        const TinyModel model = openTinyModel(family.toStdString());
        const RunConfig config = configOf(static_cast<GradientCheckpointing>(kind), method);
        const int64_t planned = peakOf(model, config);
        const int64_t before = cpuLedger().allocated();
        cpuLedger().resetPeak();
        {
            Trainee trainee = makeTinyTrainee(model, config);
            trainStep(trainee, config, groupAt(model.rows, config, 0), 1e-3, [] { return true; });
        }
        QCOMPARE(planned, cpuLedger().peak() - before);
    }

    /// Each kind needs less than the one before it; offload spares a card the segments' inputs.
    void kindsSaveMoreAndMore()
    {
        const TinyModel model = openTinyModel("llama");
        const auto peak = [&](GradientCheckpointing kind, const char* device) {
            RunConfig config = configOf(kind, "lora");
            config.checkpointEveryLayers = 1;
            config.device = device;
            return peakOf(model, config);
        };
        const int64_t off = peak(GradientCheckpointing::off, "cuda:0");
        const int64_t selective = peak(GradientCheckpointing::selective, "cuda:0");
        const int64_t full = peak(GradientCheckpointing::full, "cuda:0");
        QVERIFY(selective < off);
        QVERIFY(full < selective);
        QVERIFY(peak(GradientCheckpointing::offload, "cuda:0") < full);
        QCOMPARE(peak(GradientCheckpointing::offload, "cpu"), peak(GradientCheckpointing::full, "cpu"));
    }

    void peakHasAPlace()
    {
        const TinyModel model = openTinyModel("llama");
        const RunConfig config = configOf(GradientCheckpointing::off, "lora");
        const std::vector<std::vector<MicroBatch>> steps { groupAt(model.rows, config, 0) };
        const MemoryPlace place = dryRun(config, model.files.spec, steps).value().place;
        QVERIFY(place.pass != "load");
        QVERIFY(!place.operation.empty());
    }
};

QTEST_APPLESS_MAIN(TestRecompute)
#include "tst_recompute.moc"
