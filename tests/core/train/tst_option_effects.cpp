#include "core/config/options.h"
#include "core/memory/device.h"
#include "tests/core/train/tiny_models.h"

#include <QTest>
#include <random>

using namespace tunebench;
using namespace tunebench::test;

namespace {

/// What a model makes of held-out rows after three steps with the given options.
double lossAfterTraining(const TinyModel& model, const QStringList& options)
{
    ConfigChoice choice { referenceConfig(Method::lora), {} };
    for (const QString& option : options) {
        if (!applyAssignment(choice, option.toStdString()))
            qFatal("no such option: %s", qPrintable(option));
    }
    const RunConfig& config = choice.values;
    Trainee trainee = makeTrainee(config, model.files.spec, model.files.weights.get(), nullptr, at::kCPU).value();
    for (int64_t step = 0; step < 3; ++step)
        trainStep(trainee, config, groupAt(model.rows, config, step), config.learningRate, [] { return true; });
    return evaluationPass(trainee.decoder, groupAt(model.rows, config, 3).front(), config)[0].item<double>();
}

} // namespace

/// Each option of optimizers and adapters, set to a value that is drawn, changes what is learnt.
class TestOptionEffects : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { initializeEngine(); }

    void optionCounts_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QStringList>("given");
        std::mt19937 draw(20); // the values are the same each time
        const auto row = [&](const char* key, const QStringList& values, const QStringList& given = {}) {
            const QString& value = values[static_cast<qsizetype>(draw() % static_cast<size_t>(values.size()))];
            const QString option = QString(key) + "=" + value;
            QTest::newRow(qPrintable((QStringList(option) + given).join(", "))) << option << given;
        };
        const auto number = [&](double least, double most) {
            return QStringList { QString::number(std::uniform_real_distribution(least, most)(draw)) };
        };
        row("lora_rank", { "1", "2", "3", "7", "16" });
        row("lora_alpha", number(10, 100));
        row("lora_dropout", number(0.05, 0.6));
        row("lora_dropout", number(0.05, 0.6), { "use_dora=true" });
        row("lora_targets", { "q_proj", "v_proj,up_proj", "self_attn.o_proj" });
        row("use_rslora", { "true" });
        row("use_dora", { "true" });
        for (const char* module : { "embed_tokens", "lm_head", "norm", "k_proj" })
            row("modules_to_save", { module });
        row("seed", { "1", "2", "77" });
        row("learning_rate", number(2e-3, 1e-2));
        row("max_grad_norm", number(0.01, 0.1), { "optimizer=sgd", "learning_rate=0.1" });
        row("momentum", number(0.3, 0.95), { "optimizer=sgd", "learning_rate=0.1" });
        row("epsilon", number(1e-5, 1e-2));
        row("loss_scale", { "1", "8", "1024" }, { "compute=fp16" });
        const QStringList large { "lora_rank=128" }; // tensors that adamw_8bit packs
        for (const char* optimizer : { "adamw_8bit", "sgd", "lion", "adafactor" })
            row("optimizer", { optimizer }, large);
        for (const char* optimizer : { "adamw", "adamw_8bit", "sgd", "lion", "adafactor" })
            row("weight_decay", number(0.5, 5), large + QStringList { QString("optimizer=") + optimizer });
        for (const char* optimizer : { "adamw", "adamw_8bit", "lion" }) {
            row("beta1", number(0.1, 0.85), large + QStringList { QString("optimizer=") + optimizer });
            row("beta2", number(0.5, 0.99), large + QStringList { QString("optimizer=") + optimizer });
        }
    }

    void optionCounts()
    {
        QFETCH(QString, option);
        QFETCH(QStringList, given);
        const TinyModel model = openTinyModel("llama");
        const double without = lossAfterTraining(model, given);
        QCOMPARE(lossAfterTraining(model, given), without);
        QVERIFY(std::isfinite(without));
        QVERIFY(lossAfterTraining(model, given + QStringList { option }) != without);
    }
};

QTEST_APPLESS_MAIN(TestOptionEffects)
#include "tst_option_effects.moc"
