#include "core/config/demo.h"
#include "core/data/micro_batches.h"
#include "core/memory/device.h"
#include "core/ops/rms_norm.h"
#include "core/train/pass.h"
#include "tests/core/train/tiny_models.h"
#include "tests/core/train/trainer_test.h"

#include <ATen/ops/linear.h>

using namespace tunebench;
using namespace tunebench::test;

/// The demo model's logits and DPO on real preference pairs, against transformers and TRL
/// (tests/data/train/make_smollm2.py).
class TestSmolLm2Values : public TrainerTest {
    Q_OBJECT

    static nlohmann::json reference(const char* name)
    {
        return nlohmann::json::parse(readFile(dataFolder() + name).value());
    }

    /// The pairs of the reference out of the file that it was made from; empty where that is not there.
    std::string pairs(const nlohmann::json& rows)
    {
        const QByteArray given = qgetenv("TUNEBENCH_SHARED");
        const std::filesystem::path shared
            = given.isEmpty() ? std::string(TUNEBENCH_TEST_DATA) + "/../../../shared" : given.toStdString();
        const auto text = readFile(shared / "datasets" / "dpo_en_demo.json");
        if (!text)
            return {};
        const auto all = nlohmann::json::parse(*text);
        auto chosen = nlohmann::json::array();
        for (const size_t row : rows)
            chosen.push_back(all.at(row));
        return writeFileAtomically(path("pairs.json"), chosen.dump()) ? path("pairs.json") : std::string();
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!std::filesystem::exists(demoModel()))
            QSKIP("The demo model is not there: run packaging/setup.sh, or set TUNEBENCH_DEMO_MODEL.");
    }

    void logitsMatchTransformers()
    {
        initializeEngine();
        const auto right = reference("smollm2_logits.json");
        TokenRow row { right.at("input_ids"), right.at("input_ids"), 0 };
        const std::array sequence { Sequence { 0 } };
        const RunConfig config = referenceConfig(Method::lora);
        const auto files = openModelFiles(demoModel()).value();
        Trainee trainee = makeTrainee(config, files.spec, files.weights.get(), nullptr, at::kCPU).value();
        at::Tensor last;
        watchedPass(trainee.decoder, collate({ &row, 1 }, sequence, config, 0), config,
            [&](const std::string& what, const at::Tensor& tensor) { last = what == "the loss" ? last : tensor; });
        const Decoder& decoder = trainee.decoder;
        const auto hidden = rmsNorm(last, rmsNormScale(last, decoder.spec.normEpsilon), decoder.finalNorm.value);
        const auto logits = at::linear(hidden, decoder.head().value.to(at::kFloat));
        double worst = 0;
        for (const auto& [position, expected] : right.at("positions").items()) {
            for (size_t i = 0; i < expected.at("ids").size(); ++i) {
                const double logit = logits[std::stol(position)][expected.at("ids")[i].get<int64_t>()].item<double>();
                worst = std::max(worst, std::abs(logit - expected.at("logits")[i].get<double>()));
            }
        }
        QVERIFY2(worst < 1e-4, qPrintable(QString::number(worst)));
    }

    void preferenceStepsMatchTrl_data()
    {
        QTest::addColumn<QString>("loss");
        QTest::newRow("sigmoid") << "sigmoid";
        QTest::newRow("ipo") << "ipo";
    }

    void preferenceStepsMatchTrl()
    {
        QFETCH(QString, loss);
        const auto right = reference("smollm2_preference.json");
        const std::string file = pairs(right.at("rows"));
        if (file.empty())
            QSKIP("The preference pairs are not there: set TUNEBENCH_SHARED.");
        const Record record = run(job({ "model=" + demoModel().string(), "adapter=" + dataFolder() + "smollm2_adapter",
            "dataset=" + file, "objective=dpo", "dpo_loss=" + loss.toStdString(), "batch_size=1",
            "accumulation_steps=2", "max_length=512", "threads=0" }));
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        const auto& expected = right.at(loss.toStdString());
        QCOMPARE(record.steps.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            const StepMetrics& step = record.steps[i];
            const double rightLoss = expected[i].at("loss"), rightNorm = expected[i].at("grad_norm");
            const auto text = QString("step %1: loss %2, not %3; norm %4, not %5")
                                  .arg(i + 1)
                                  .arg(*step.loss, 0, 'g', 9)
                                  .arg(rightLoss, 0, 'g', 9)
                                  .arg(*step.gradNorm, 0, 'g', 9)
                                  .arg(rightNorm, 0, 'g', 9);
            QVERIFY2(std::abs(*step.loss - rightLoss) < 1e-4 * std::max(1.0, rightLoss), qPrintable(text));
            QVERIFY2(std::abs(*step.gradNorm - rightNorm) < 1e-3 * rightNorm, qPrintable(text));
            QVERIFY2(std::abs(*step.margin - expected[i].at("margin").get<double>()) < 1e-3, qPrintable(text));
            QCOMPARE(*step.accuracy, expected[i].at("accuracy").get<double>());
        }
    }
};

QTEST_GUILESS_MAIN(TestSmolLm2Values)
#include "tst_smollm2_values.moc"
