#include "tests/core/train/tiny_models.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <QTest>
#include <array>

using namespace tunebench;
using namespace tunebench::test;

namespace {

/// Small random models, each under tests/data/train. Later ones have large weights, whose rounding tells more.
constexpr std::array models = { "llama", "mistral", "qwen2", "qwen3", "mistral_window", "qwen2_window", "gemma",
    "gemma2", "gemma3_text", "phi3", "phi4" };

double normOf(const at::Tensor& tensor)
{
    return at::linalg_vector_norm(tensor).item<double>();
}

bool close(double value, double right, double tolerance)
{
    return std::abs(value - right) <= tolerance * std::abs(right);
}

} // namespace

/// The step against transformers + PEFT (tests/data/train/make_reference.py), and against itself cut another way.
class TestReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsMatchTransformers_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<bool>("full");
        QTest::addColumn<int>("recomputeEvery");
        for (const char* family : models) {
            for (const bool full : { false, true }) {
                for (const int every : { 0, 1, 2 })
                    QTest::addRow("%s %s recompute %d", family, full ? "full" : "lora", every)
                        << family << full << every;
            }
        }
    }

    void stepsMatchTransformers()
    {
        QFETCH(QString, family);
        QFETCH(bool, full);
        QFETCH(int, recomputeEvery);
        const TinyModel model = openTinyModel(family.toStdString());
        RunConfig config = referenceConfig(full ? Method::full : Method::lora);
        config.gradientCheckpointing = recomputeEvery > 0 ? GradientCheckpointing::full : GradientCheckpointing::off;
        config.checkpointEveryLayers = std::max(1, recomputeEvery);
        Trainee trainee = makeTinyTrainee(model, config);
        const auto& right = model.reference.at(full ? "full" : "lora");
        int64_t step = 0;
        for (const auto& expected : right.at("steps")) {
            const auto group = groupAt(model.rows, config, step);
            const StepOutcome outcome = trainStep(trainee, config, group, config.learningRate, [] { return true; });
            QVERIFY2(
                close(outcome.loss, expected.at("loss"), 1e-6), qPrintable(QString::number(outcome.loss, 'g', 12)));
            QVERIFY2(close(outcome.gradNorm, expected.at("grad_norm"), 1e-5),
                qPrintable(QString::number(outcome.gradNorm, 'g', 12)));
            QCOMPARE(outcome.supervisedTokens, expected.at("supervised_tokens").get<int64_t>());
            QCOMPARE(outcome.tokens, expected.at("tokens").get<int64_t>());
            ++step;
        }
        const auto& norms = right.at("final_norms");
        QCOMPARE(trainee.decoder.trainedParameters().size(), norms.size());
        for (const Parameter* parameter : trainee.decoder.trainedParameters())
            QVERIFY2(close(normOf(parameter->value), norms.at(parameter->name), 1e-5), parameter->name.c_str());
    }

    void gradientsMatchTransformers_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<bool>("full");
        for (const char* family : models) {
            QTest::addRow("%s lora", family) << family << false;
            QTest::addRow("%s full", family) << family << true;
        }
    }

    void gradientsMatchTransformers()
    {
        QFETCH(QString, family);
        QFETCH(bool, full);
        const TinyModel model = openTinyModel(family.toStdString());
        RunConfig config = referenceConfig(full ? Method::full : Method::lora);
        config.maxGradNorm = 0;
        Trainee trainee = makeTinyTrainee(model, config);
        trainStep(trainee, config, groupAt(model.rows, config, 0), 0, [] { return true; });
        const auto& norms = model.reference.at(full ? "full" : "lora").at("first_gradient_norms");
        for (const Parameter* parameter : trainee.decoder.trainedParameters()) {
            const double right = norms.at(parameter->name);
            const double norm = normOf(parameter->gradient);
            // A key bias shifts all scores of a query alike: its gradient is zero but for rounding.
            const bool nothing = right < 1e-6 && norm < 1e-6;
            QVERIFY2(nothing || close(norm, right, 1e-4), parameter->name.c_str());
        }
    }

    /// PEFT's rsLoRA scales by alpha / sqrt(rank): at rank 4 as LoRA does with twice the alpha.
    void rankStabilisedScale()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig config = referenceConfig(Method::lora);
        config.loraAlpha = 16;
        Trainee plain = makeTinyTrainee(model, config);
        config.loraAlpha = 8;
        config.useRslora = true;
        Trainee stabilised = makeTinyTrainee(model, config);
        const auto group = groupAt(model.rows, config, 0);
        const auto right = trainStep(plain, config, group, 1e-3, [] { return true; });
        QCOMPARE(trainStep(stabilised, config, group, 1e-3, [] { return true; }).gradNorm, right.gradNorm);
    }

    void sameStepCutAnotherWay_data()
    {
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<int>("padding");
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("recomputeEvery");
        QTest::addColumn<bool>("packing");
        const auto none = static_cast<int>(Padding::none);
        const auto longest = static_cast<int>(Padding::longest);
        const auto maxLength = static_cast<int>(Padding::maxLength);
        const auto right = static_cast<int>(PaddingSide::right);
        const auto left = static_cast<int>(PaddingSide::left);
        QTest::newRow("4 x 2") << 4 << 2 << none << right << 0 << false;
        QTest::newRow("1 x 8") << 1 << 8 << none << right << 0 << false;
        QTest::newRow("3 x 3, uneven") << 3 << 3 << none << right << 0 << false;
        QTest::newRow("recompute") << 8 << 1 << none << right << 1 << false;
        QTest::newRow("recompute by three layers, 2 x 4") << 2 << 4 << none << right << 3 << false;
        QTest::newRow("longest, right") << 8 << 1 << longest << right << 0 << false;
        QTest::newRow("longest, left") << 4 << 2 << longest << left << 0 << false;
        QTest::newRow("max_length, right") << 4 << 2 << maxLength << right << 0 << false;
        QTest::newRow("max_length, left, recompute") << 2 << 4 << maxLength << left << 1 << false;
        QTest::newRow("packed") << 8 << 1 << none << right << 0 << true;
        QTest::newRow("packed, recompute, 1 x 8") << 1 << 8 << none << right << 2 << true;
        QTest::newRow("packed, longest, left") << 2 << 4 << longest << left << 0 << true;
    }

    void sameStepCutAnotherWay()
    {
        QFETCH(int, batch);
        QFETCH(int, accumulation);
        QFETCH(int, padding);
        QFETCH(int, side);
        QFETCH(int, recomputeEvery);
        QFETCH(bool, packing);
        const TinyModel model = openTinyModel("llama");
        const std::vector<TokenRow> rows(model.rows.begin(), model.rows.begin() + 8);
        RunConfig config = referenceConfig(Method::lora);
        config.optimizer = OptimizerKind::sgd;
        config.maxLength = 64;
        config.batchSize = 8;
        config.accumulationSteps = 1;
        Trainee whole = makeTinyTrainee(model, config);
        const auto right = trainStep(whole, config, groupAt(rows, config, 0), 0.1, [] { return true; });

        config.batchSize = batch;
        config.accumulationSteps = accumulation;
        config.padding = static_cast<Padding>(padding);
        config.paddingSide = static_cast<PaddingSide>(side);
        config.gradientCheckpointing = recomputeEvery > 0 ? GradientCheckpointing::full : GradientCheckpointing::off;
        config.checkpointEveryLayers = std::max(1, recomputeEvery);
        config.packing = packing;
        Trainee cut = makeTinyTrainee(model, config);
        const auto outcome = trainStep(cut, config, groupAt(rows, config, 0), 0.1, [] { return true; });

        QVERIFY(close(outcome.loss, right.loss, 1e-6));
        QVERIFY(close(outcome.gradNorm, right.gradNorm, 1e-5));
        QCOMPARE(outcome.supervisedTokens, right.supervisedTokens);
        QCOMPARE(outcome.slots > right.slots, config.padding != Padding::none);
        const auto expected = whole.decoder.trainedParameters();
        const auto got = cut.decoder.trainedParameters();
        for (size_t i = 0; i < expected.size(); ++i) {
            QVERIFY2(relativeDistance(got[i]->gradient, expected[i]->gradient) < 1e-5, got[i]->name.c_str());
            QVERIFY2(relativeDistance(got[i]->value, expected[i]->value) < 1e-5, got[i]->name.c_str());
        }
    }

    void meanOfMeansDiffersByItsFormula()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig config = referenceConfig(Method::lora);
        config.batchSize = 2;
        config.accumulationSteps = 3;
        const auto group = groupAt(model.rows, config, 0);
        double meanOfMeans = 0, sum = 0;
        int64_t tokens = 0;
        for (const MicroBatch& batch : group) {
            Trainee single = makeTinyTrainee(model, config);
            const auto outcome = trainStep(single, config, { &batch, 1 }, 0, [] { return true; });
            meanOfMeans += outcome.loss / 3;
            sum += outcome.loss * static_cast<double>(batch.supervised);
            tokens += batch.supervised;
        }
        Trainee byTokens = makeTinyTrainee(model, config);
        QVERIFY(close(
            trainStep(byTokens, config, group, 0, [] { return true; }).loss, sum / static_cast<double>(tokens), 1e-9));
        config.lossNormalization = LossNormalization::microBatchMean;
        Trainee byMeans = makeTinyTrainee(model, config);
        QVERIFY(close(trainStep(byMeans, config, group, 0, [] { return true; }).loss, meanOfMeans, 1e-9));
        QVERIFY(!close(meanOfMeans, sum / static_cast<double>(tokens), 1e-4));
    }

    void halfPrecisionStaysNear_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("compute");
        QTest::addColumn<double>("tolerance");
        const auto fp32 = static_cast<int>(NumberType::fp32);
        const auto fp16 = static_cast<int>(NumberType::fp16);
        const auto bf16 = static_cast<int>(NumberType::bf16);
        const auto row = [](const char* model, const char* name, int precision, int compute, double tolerance) {
            QTest::addRow("%s, %s", model, name) << model << precision << compute << tolerance;
        };
        row("llama", "bf16 products alone", fp32, bf16, 1e-2);
        row("llama", "bf16 weights alone", bf16, fp32, 1e-2);
        row("llama", "fp16 weights alone", fp16, fp32, 2e-3);
        for (const char* model : models) {
            row(model, "bf16 weights and products", bf16, bf16, 1e-2);
            row(model, "fp16 weights and products", fp16, fp16, 2e-3);
        }
    }

    void halfPrecisionStaysNear()
    {
        QFETCH(QString, model);
        QFETCH(int, precision);
        QFETCH(int, compute);
        QFETCH(double, tolerance);
        const TinyModel tiny = openTinyModel(model.toStdString());
        RunConfig config = referenceConfig(Method::lora);
        config.precision = static_cast<NumberType>(precision);
        config.compute = static_cast<NumberType>(compute);
        Trainee trainee = makeTinyTrainee(tiny, config);
        int64_t step = 0;
        for (const auto& expected : tiny.reference.at("lora").at("steps")) {
            const auto outcome
                = trainStep(trainee, config, groupAt(tiny.rows, config, step++), 1e-3, [] { return true; });
            QVERIFY2(close(outcome.loss, expected.at("loss"), tolerance), qPrintable(QString::number(outcome.loss)));
            QVERIFY2(
                close(outcome.gradNorm, expected.at("grad_norm"), 0.05), qPrintable(QString::number(outcome.gradNorm)));
            QVERIFY(!outcome.skipped);
        }
        for (const Parameter* parameter : trainee.decoder.trainedParameters())
            QCOMPARE(parameter->value.scalar_type(), at::kFloat);
    }

    void overflowLowersTheScaleAndSkips()
    {
        const TinyModel model = openTinyModel("llama");
        RunConfig config = referenceConfig(Method::lora);
        config.precision = config.compute = NumberType::fp16;
        config.lossScale = 1e9;
        Trainee trainee = makeTinyTrainee(model, config);
        const auto before = trainee.decoder.trainedParameters().front()->value.clone();
        const auto outcome = trainStep(trainee, config, groupAt(model.rows, config, 0), 1e-3, [] { return true; });
        QVERIFY(outcome.skipped);
        QCOMPARE(trainee.scaler.scale(), 5e8);
        QVERIFY(at::equal(trainee.decoder.trainedParameters().front()->value, before));
    }
};

QTEST_APPLESS_MAIN(TestReference)
#include "tst_reference.moc"
