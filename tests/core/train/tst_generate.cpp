#include "tests/core/train/tiny_models.h"

#include "core/memory/counting_allocator.h"
#include "core/memory/device.h"
#include "core/train/dry_run.h"
#include "core/train/generate.h"
#include "core/train/prompts.h"

#include <ATen/TensorOperators.h>
#include <QTest>
#include <array>

using namespace tunebench;
using namespace tunebench::test;

namespace {

constexpr std::array models = { "llama", "mistral", "qwen2", "qwen3", "mistral_window", "qwen2_window", "gemma",
    "gemma2", "gemma3_text", "phi3", "phi4" };

using Ids = std::vector<TokenId>;

bool always()
{
    return true;
}

double distance(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>();
}

void addModels()
{
    QTest::addColumn<QString>("family");
    for (const char* family : models)
        QTest::newRow(family) << family;
}

} // namespace

/// What models go on with, against transformers' generate() (tests/data/train/make_reference.py), and against itself.
class TestGenerate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { initializeEngine(); }

    void answersAreThoseOfTransformers_data() { addModels(); }

    void answersAreThoseOfTransformers()
    {
        QFETCH(QString, family);
        const TinyModel model = openTinyModel(family.toStdString());
        for (const auto& [kind, config] :
            { std::pair("base", referenceConfig(Method::full)), { "lora", adapterConfig(model) } }) {
            const Trainee trainee = makeTinyTrainee(model, config);
            for (const auto& right : model.reference.at("answers").at(kind)) {
                const Ids prompt = right.at("prompt"), expected = right.at("answer");
                const auto answer = answerGreedily(trainee.decoder, prompt, {}, std::ssize(expected), always);
                QCOMPARE(answer->ids, expected);
                QVERIFY(!answer->ended);
                Generation generation(trainee.decoder, std::ssize(prompt) + std::ssize(expected));
                auto logits = generation.read(prompt);
                for (size_t i = 0; i + 1 < expected.size(); ++i)
                    logits = generation.read({ &expected[i], 1 });
                const std::vector<double> last = right.at("last_logits");
                for (size_t i = 0; i < last.size(); ++i) {
                    const double off = logits[static_cast<int64_t>(12 * i)].item<double>() - last[i];
                    QVERIFY2(std::abs(off) < 1e-4, qPrintable(QString::number(off)));
                }
            }
        }
    }

    /// One token after the other, in parts or all at once: the logits of the last are the same to rounding.
    void cacheChangesNothing_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("tolerance");
        for (const char* family : models) {
            QTest::newRow(qPrintable(QString("%1 fp32").arg(family)))
                << family << static_cast<int>(NumberType::fp32) << 1e-4;
            QTest::newRow(qPrintable(QString("%1 bf16").arg(family)))
                << family << static_cast<int>(NumberType::bf16) << 0.6;
        }
    }

    void cacheChangesNothing()
    {
        QFETCH(QString, family);
        QFETCH(int, type);
        QFETCH(double, tolerance);
        const TinyModel model = openTinyModel(family.toStdString());
        RunConfig config = adapterConfig(model);
        config.precision = config.compute = static_cast<NumberType>(type);
        const Trainee trainee = makeTinyTrainee(model, config);
        Ids ids;
        for (const TokenRow& row : model.rows)
            ids.insert(ids.end(), row.ids.begin(), row.ids.end());
        ids.resize(150);
        Generation whole(trainee.decoder, std::ssize(ids));
        const auto right = whole.read(ids);
        QCOMPARE(right.dim(), 1);
        QVERIFY(right.scalar_type() == at::kFloat);
        const std::span all(ids);
        Generation parts(trainee.decoder, std::ssize(ids));
        parts.read(all.first(5));
        parts.read(all.subspan(5, 139)); // more than one block of queries
        for (size_t i = 144; i + 1 < ids.size(); ++i)
            parts.read(all.subspan(i, 1));
        const double off = distance(parts.read(all.last(1)), right);
        QCOMPARE(parts.tokens(), whole.tokens());
        QVERIFY2(off <= tolerance * right.abs().max().item<double>(), qPrintable(QString::number(off)));
    }

    void endsAndLimitsAreKept()
    {
        const TinyModel model = openTinyModel("llama");
        const Trainee trainee = makeTinyTrainee(model, referenceConfig(Method::full));
        const auto& right = model.reference.at("answers").at("base").at(1);
        const Ids prompt = right.at("prompt"), expected = right.at("answer");
        const auto end = std::find(expected.begin() + 3, expected.end(), expected[3]);
        const auto answer
            = answerGreedily(trainee.decoder, prompt, std::array { TokenId { 95 }, *end }, 24, always).value();
        const auto first = std::find(expected.begin(), expected.end(), *end);
        QCOMPARE(answer.ids, Ids(expected.begin(), first));
        QVERIFY(answer.ended);
        QCOMPARE(answerGreedily(trainee.decoder, prompt, {}, 1, always)->ids.size(), size_t { 1 });
    }

    void stopsWhenAsked()
    {
        const TinyModel model = openTinyModel("llama");
        const Trainee trainee = makeTinyTrainee(model, referenceConfig(Method::full));
        for (const int most : { 0, 1, 5 }) {
            int asked = 0;
            QVERIFY(!answerGreedily(trainee.decoder, Ids { 4, 5 }, {}, 24, [&] { return asked++ < most; }));
            QCOMPARE(asked, most + 1);
        }
    }

    /// The dry run sees the peak of a real answer, wherever in it that is.
    void memoryIsPlanned_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("prompt");
        for (const char* family : models) {
            for (const int prompt : { 1, 20, 100 })
                QTest::newRow(qPrintable(QString("%1 %2").arg(family).arg(prompt))) << family << prompt;
        }
    }

    void memoryIsPlanned()
    {
        QFETCH(QString, family);
        QFETCH(int, prompt);
        const TinyModel model = openTinyModel(family.toStdString());
        const RunConfig config = adapterConfig(model);
        const auto planned = dryRun(config, model.files.spec, {}, prompt);
        QVERIFY(planned.has_value());
        const int64_t before = cpuLedger().allocated();
        cpuLedger().resetPeak();
        {
            const Trainee trainee = makeTinyTrainee(model, config);
            answerGreedily(trainee.decoder, Ids(static_cast<size_t>(prompt), 3), {}, mostAnswerTokens, always);
        }
        QCOMPARE(cpuLedger().allocated(), before);
        QCOMPARE(planned->peakAllocated, cpuLedger().peak() - before);
    }
};

QTEST_APPLESS_MAIN(TestGenerate)
#include "tst_generate.moc"
