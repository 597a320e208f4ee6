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

/// Every family and method that there are right values of.
template <class Body> void forEachReference(Body body)
{
    for (const char* family : models) {
        for (const char* method : { "lora", "full", "dora", "whole", "nf4", "nf4_dora" })
            body(family, method);
    }
}

/// With the prefix "nf4_" the same on weights in 4 bits.
std::pair<TinyModel, RunConfig> referenceFor(const QString& family, const QString& method)
{
    const bool plain = method == "lora" || method == "full" || method == "nf4";
    const bool fourBits = method.startsWith("nf4");
    TinyModel model = openTinyModel(family.toStdString(), plain ? "" : QString(method).remove("nf4_").toStdString());
    RunConfig config = method == "full" ? referenceConfig(Method::full) : adapterConfig(model);
    if (fourBits)
        config.precision = NumberType::nf4;
    return { std::move(model), std::move(config) };
}

} // namespace

/// The step against transformers + PEFT (tests/data/train/make_reference.py), and against itself cut another way.
class TestReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsMatchTransformers_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("recomputeEvery");
        forEachReference([](const QString& family, const QString& method) {
            for (const int every : { 0, 1, 2 })
                QTest::newRow(qPrintable(QString("%1 %2 recompute %3").arg(family, method).arg(every)))
                    << family << method << every;
        });
    }

    void stepsMatchTransformers()
    {
        QFETCH(QString, family);
        QFETCH(QString, method);
        QFETCH(int, recomputeEvery);
        auto [model, config] = referenceFor(family, method);
        config.gradientCheckpointing = recomputeEvery > 0 ? GradientCheckpointing::full : GradientCheckpointing::off;
        config.checkpointEveryLayers = std::max(1, recomputeEvery);
        Trainee trainee = makeTinyTrainee(model, config);
        const auto& right = model.reference.at(method.toStdString());
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
        QTest::addColumn<QString>("method");
        forEachReference([](const QString& family, const QString& method) {
            QTest::newRow(qPrintable(family + " " + method)) << family << method;
        });
    }

    void gradientsMatchTransformers()
    {
        QFETCH(QString, family);
        QFETCH(QString, method);
        auto [model, config] = referenceFor(family, method);
        config.maxGradNorm = 0;
        Trainee trainee = makeTinyTrainee(model, config);
        trainStep(trainee, config, groupAt(model.rows, config, 0), 0, [] { return true; });
        const auto& norms = model.reference.at(method.toStdString()).at("first_gradient_norms");
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
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("compute");
        QTest::addColumn<double>("tolerance");
        const auto fp32 = static_cast<int>(NumberType::fp32);
        const auto fp16 = static_cast<int>(NumberType::fp16);
        const auto bf16 = static_cast<int>(NumberType::bf16);
        const auto row = [](const char* model, const char* name, int precision, int compute, double tolerance) {
            QTest::addRow("%s, %s", model, name) << model << "lora" << precision << compute << tolerance;
        };
        row("llama", "bf16 products alone", fp32, bf16, 1e-2);
        row("llama", "bf16 weights alone", bf16, fp32, 1e-2);
        row("llama", "fp16 weights alone", fp16, fp32, 2e-3);
        for (const char* model : models) {
            row(model, "bf16 weights and products", bf16, bf16, 1e-2);
            row(model, "fp16 weights and products", fp16, fp16, 2e-3);
            for (const int products : { bf16, fp16 })
                QTest::addRow("%s, all weights, products %d", model, products)
                    << model << "full" << fp32 << products << (products == bf16 ? 1e-2 : 2e-3);
        }
    }

    void halfPrecisionStaysNear()
    {
        QFETCH(QString, model);
        QFETCH(QString, method);
        QFETCH(int, precision);
        QFETCH(int, compute);
        QFETCH(double, tolerance);
        auto [tiny, config] = referenceFor(model, method);
        config.precision = static_cast<NumberType>(precision);
        config.compute = static_cast<NumberType>(compute);
        Trainee trainee = makeTinyTrainee(tiny, config);
        int64_t step = 0;
        for (const auto& expected : tiny.reference.at(method.toStdString()).at("steps")) {
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

    void adaptersInHalfPrecisionStayNear_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("compute");
        for (const char* kind : { "dora", "whole" }) {
            for (const NumberType held : { NumberType::bf16, NumberType::fp16 }) {
                for (const NumberType products : { NumberType::fp32, held })
                    QTest::addRow(
                        "%s, held in %d, multiplied in %d", kind, static_cast<int>(held), static_cast<int>(products))
                        << kind << static_cast<int>(held) << static_cast<int>(products);
            }
        }
    }

    void adaptersInHalfPrecisionStayNear()
    {
        QFETCH(QString, kind);
        QFETCH(int, precision);
        QFETCH(int, compute);
        auto [model, config] = referenceFor("qwen2", kind);
        config.precision = static_cast<NumberType>(precision);
        config.compute = static_cast<NumberType>(compute);
        Trainee trainee = makeTinyTrainee(model, config);
        for (int64_t step = 0; step < 4; ++step) {
            const auto outcome
                = trainStep(trainee, config, groupAt(model.rows, config, step), 1e-3, [] { return true; });
            const auto& expected = model.reference.at(kind.toStdString()).at("steps").at(static_cast<size_t>(step));
            QVERIFY2(close(outcome.loss, expected.at("loss"), 1e-2), qPrintable(QString::number(outcome.loss)));
            QVERIFY2(
                close(outcome.gradNorm, expected.at("grad_norm"), 0.05), qPrintable(QString::number(outcome.gradNorm)));
        }
        for (const Parameter* parameter : trainee.decoder.trainedParameters())
            QCOMPARE(parameter->value.scalar_type(), at::kFloat);
    }

    /// The same masks whether activations are kept or made again; others in another step, micro-batch and module.
    void dropoutIsRebuilt()
    {
        const TinyModel model = openTinyModel("llama", "dora");
        RunConfig config = adapterConfig(model);
        config.loraDropout = 0.4;
        const auto step = [&](GradientCheckpointing recompute, int64_t seed) {
            config.gradientCheckpointing = recompute;
            config.seed = seed;
            Trainee trainee = makeTinyTrainee(model, config);
            const auto outcome = trainStep(trainee, config, groupAt(model.rows, config, 0), 1e-3, [] { return true; });
            return std::pair(outcome.loss, outcome.gradNorm);
        };
        const auto kept = step(GradientCheckpointing::off, 1);
        QCOMPARE(step(GradientCheckpointing::full, 1), kept);
        QVERIFY(step(GradientCheckpointing::off, 2) != kept);
        config.loraDropout = 0;
        QVERIFY(step(GradientCheckpointing::off, 1) != kept);
    }

    void evaluationHasNoDropout()
    {
        const TinyModel model = openTinyModel("qwen2");
        RunConfig config = adapterConfig(model);
        const auto loss = [&](double dropout) {
            config.loraDropout = dropout;
            Trainee trainee = makeTinyTrainee(model, config);
            trainStep(trainee, config, groupAt(model.rows, config, 0), 0, [] { return true; });
            return evaluationPass(trainee.decoder, groupAt(model.rows, config, 1).front(), config)[0].item<double>();
        };
        QCOMPARE(loss(0.5), loss(0));
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
