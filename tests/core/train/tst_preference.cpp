#include "core/base/files.h"
#include "core/data/split_micro_batch.h"
#include "core/memory/counting_allocator.h"
#include "core/model/lora.h"
#include "core/train/dry_run.h"
#include "core/train/evaluate.h"
#include "tests/core/train/tiny_models.h"

#include <QTest>

using namespace tunebench;
using namespace tunebench::test;

namespace {

nlohmann::json reference()
{
    return nlohmann::json::parse(
        readFile(std::string(TUNEBENCH_TEST_DATA) + "/train/preference_reference.json").value());
}

void append(TokenRow& row, const nlohmann::json& side)
{
    const auto ids = side.at("input_ids").get<std::vector<TokenId>>();
    const auto labels = side.at("labels").get<std::vector<TokenId>>();
    row.ids.insert(row.ids.end(), ids.begin(), ids.end());
    row.labels.insert(row.labels.end(), labels.begin(), labels.end());
}

std::vector<TokenRow> pairsOf(const nlohmann::json& reference)
{
    std::vector<TokenRow> pairs;
    for (const auto& pair : reference.at("pairs")) {
        TokenRow& row = pairs.emplace_back();
        append(row, pair.at("chosen"));
        row.rejected = row.ids.size();
        append(row, pair.at("rejected"));
    }
    return pairs;
}

RunConfig preferenceConfig(const nlohmann::json& reference)
{
    RunConfig config = referenceConfig(Method::lora);
    config.objective = Objective::dpo;
    config.batchSize = reference.at("batch");
    config.accumulationSteps = reference.at("accumulation");
    config.learningRate = reference.at("learning_rate");
    return config;
}

bool close(double value, double right, double tolerance)
{
    return std::abs(value - right) <= tolerance * std::max(std::abs(right), 1e-2);
}

} // namespace

/// Steps over preference pairs against TRL (tests/data/train/make_preference.py).
class TestPreference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsMatchTrl_data()
    {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<int>("padding");
        QTest::addColumn<bool>("recompute");
        for (const char* loss : { "sigmoid", "ipo" }) {
            QTest::addRow("%s", loss) << loss << static_cast<int>(Padding::none) << false;
            QTest::addRow("%s, recompute", loss) << loss << static_cast<int>(Padding::none) << true;
            QTest::addRow("%s, padded", loss) << loss << static_cast<int>(Padding::longest) << false;
        }
    }

    void stepsMatchTrl()
    {
        QFETCH(QString, loss);
        QFETCH(int, padding);
        QFETCH(bool, recompute);
        const auto right = reference();
        const auto pairs = pairsOf(right);
        RunConfig config = preferenceConfig(right);
        config.dpoLoss = loss == "ipo" ? DpoLoss::ipo : DpoLoss::sigmoid;
        config.padding = static_cast<Padding>(padding);
        config.gradientCheckpointing = recompute ? GradientCheckpointing::full : GradientCheckpointing::off;
        Trainee trainee = makeTinyTrainee(openTinyModel("llama"), config);
        int64_t step = 0;
        for (const auto& expected : right.at(loss.toStdString())) {
            const auto outcome
                = trainStep(trainee, config, groupAt(pairs, config, step++), config.learningRate, [] { return true; });
            QVERIFY(outcome.preference.has_value());
            const auto& preference = *outcome.preference;
            for (const auto& [key, value] : { std::pair("loss", outcome.loss), { "grad_norm", outcome.gradNorm },
                     { "rewards_chosen", preference.rewardsChosen }, { "rewards_rejected", preference.rewardsRejected },
                     { "margin", preference.margin }, { "accuracy", preference.accuracy } })
                QVERIFY2(close(value, expected.at(key), 1e-4),
                    qPrintable(QStringLiteral("step %1 %2: %3, not %4")
                                   .arg(step)
                                   .arg(QLatin1String(key))
                                   .arg(value, 0, 'g', 10)
                                   .arg(expected.at(key).get<double>(), 0, 'g', 10)));
        }
    }

    /// A micro-batch cut between pairs, and its parts again, learn what the whole learns; dropout is the same.
    void partsLearnWhatTheWholeLearns_data()
    {
        QTest::addColumn<int>("padding");
        QTest::addColumn<int>("side");
        QTest::newRow("as long as they are") << static_cast<int>(Padding::none) << static_cast<int>(PaddingSide::right);
        QTest::newRow("padded") << static_cast<int>(Padding::longest) << static_cast<int>(PaddingSide::right);
        QTest::newRow("padded left") << static_cast<int>(Padding::longest) << static_cast<int>(PaddingSide::left);
    }

    void partsLearnWhatTheWholeLearns()
    {
        QFETCH(int, padding);
        QFETCH(int, side);
        const auto right = reference();
        RunConfig config = preferenceConfig(right);
        config.loraDropout = 0.3;
        config.padding = static_cast<Padding>(padding);
        config.paddingSide = static_cast<PaddingSide>(side);
        const auto whole = groupAt(pairsOf(right), config, 0);
        auto [first, second] = halved(whole.front(), config.paddingSide).value();
        std::vector<MicroBatch> parts(whole.begin() + 1, whole.end());
        parts.insert(parts.begin(), std::move(second));
        if (auto again = halved(first, config.paddingSide)) {
            parts.insert(parts.begin(), again->second);
            first = again->first;
        }
        parts.insert(parts.begin(), std::move(first));
        QVERIFY(parts.size() > whole.size());
        const auto step = [&](const std::vector<MicroBatch>& group) {
            Trainee trainee = makeTinyTrainee(openTinyModel("llama"), config);
            return trainStep(trainee, config, group, config.learningRate, [] { return true; });
        };
        const auto a = step(whole), b = step(parts);
        QVERIFY(close(b.loss, a.loss, 1e-6));
        QVERIFY(close(b.gradNorm, a.gradNorm, 1e-5));
        QVERIFY(close(b.preference->margin, a.preference->margin, 1e-5));
        QCOMPARE(b.tokens, a.tokens);
        QCOMPARE(b.slots, a.slots);
    }

    /// An untrained adapter is the reference itself: every reward is 0, and the loss ln 2.
    void freshAdapterPrefersNothing_data()
    {
        QTest::addColumn<int>("precision");
        QTest::newRow("fp32") << static_cast<int>(NumberType::fp32);
        QTest::newRow("nf4") << static_cast<int>(NumberType::nf4);
    }

    void freshAdapterPrefersNothing()
    {
        QFETCH(int, precision);
        const auto right = reference();
        RunConfig config = preferenceConfig(right);
        config.precision = static_cast<NumberType>(precision);
        const TinyModel model = openTinyModel("llama");
        Trainee trainee = makeTrainee(config, model.files.spec, model.files.weights.get(), nullptr, at::kCPU).value();
        const auto metrics
            = evaluate(trainee.decoder, pairsOf(right), config, 1000, [](const MicroBatch&) { return true; });
        QVERIFY(close(*metrics->loss, std::log(2.0), 1e-12));
        QCOMPARE(*metrics->margin, 0.0);
        QCOMPARE(*metrics->accuracy, 0.0);
        for (DecoderLayer& layer : trainee.decoder.layers)
            QVERIFY(layer.query.lora.has_value());
    }

    /// An evaluation is the mean over all pairs, however they are cut into micro-batches.
    void evaluationIsTheMeanOverPairs()
    {
        const auto right = reference();
        RunConfig config = preferenceConfig(right);
        const auto pairs = pairsOf(right);
        Trainee trainee = makeTinyTrainee(openTinyModel("llama"), config);
        const auto alone = evaluate(trainee.decoder, pairs, config, 1, [](const MicroBatch&) { return true; });
        config.evalBatchSize = 5;
        const auto together = evaluate(trainee.decoder, pairs, config, 1000, [](const MicroBatch&) { return true; });
        QVERIFY(close(*alone->loss, *together->loss, 1e-6));
        QVERIFY(close(*alone->margin, *together->margin, 1e-4));
        QCOMPARE(*alone->accuracy, *together->accuracy);
    }

    void plannedPeakIsTheMeasuredOne_data()
    {
        QTest::addColumn<bool>("recompute");
        QTest::addColumn<bool>("fourBits");
        QTest::newRow("all kept") << false << false;
        QTest::newRow("recompute") << true << false;
        QTest::newRow("weights in 4 bits") << false << true;
    }

    void plannedPeakIsTheMeasuredOne()
    {
        QFETCH(bool, recompute);
        QFETCH(bool, fourBits);
        const auto right = reference();
        RunConfig config = preferenceConfig(right);
        config.gradientCheckpointing = recompute ? GradientCheckpointing::full : GradientCheckpointing::off;
        if (fourBits)
            config.precision = NumberType::nf4;
        const auto pairs = pairsOf(right);
        const TinyModel model = openTinyModel("llama");
        const std::vector<std::vector<MicroBatch>> steps { groupAt(pairs, config, 0), groupAt(pairs, config, 1) };
        const auto planned = dryRun(config, model.files.spec, steps);
        const int64_t before = cpuLedger().allocated();
        cpuLedger().resetPeak();
        {
            Trainee trainee = makeTinyTrainee(model, config);
            for (const auto& group : steps)
                trainStep(trainee, config, group, 1e-3, [] { return true; });
        }
        QCOMPARE(planned->peakAllocated, cpuLedger().peak() - before);
    }
};

QTEST_APPLESS_MAIN(TestPreference)
#include "tst_preference.moc"
