#include "core/train/find_not_finite.h"
#include "tests/core/train/tiny_models.h"

#include <QTest>
#include <limits>

using namespace tunebench;
using namespace tunebench::test;

/// A step whose numbers are no longer finite says where.
class TestNotFinite : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void firstPlaceIsNamed_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::addColumn<QString>("place");
        QTest::newRow("none") << ""
                              << "";
        QTest::newRow("weight") << "weight"
                                << "the weight model.layers.2.input_layernorm.weight";
        QTest::newRow("weight in 4 bits") << "packed"
                                          << "the weight model.layers.1.self_attn.o_proj.weight";
        QTest::newRow("attention") << "attention"
                                   << "the output of attention in layer 1 of micro-batch 1";
        QTest::newRow("mlp") << "mlp"
                             << "the output of layer 1 of micro-batch 1";
        QTest::newRow("gradient") << "gradient"
                                  << "the gradient of model.layers.1.self_attn.o_proj.lora_B.weight";
    }

    void firstPlaceIsNamed()
    {
        QFETCH(QString, damage);
        QFETCH(QString, place);
        RunConfig config = referenceConfig(Method::lora);
        if (damage == "packed")
            config.precision = NumberType::nf4;
        const TinyModel model = openTinyModel("llama");
        Trainee trainee = makeTinyTrainee(model, config);
        const auto group = groupAt(model.rows, config, 0);
        trainStep(trainee, config, group, 0, [] { return true; });
        auto& layers = trainee.decoder.layers;
        constexpr double huge = 3e38; // finite, but no sum of it is
        if (damage == "weight")
            layers[2].inputNorm.value.fill_(std::numeric_limits<double>::quiet_NaN());
        else if (damage == "packed")
            layers[1].output.weight.packed->groupScales.fill_(std::numeric_limits<double>::quiet_NaN());
        else if (damage == "attention")
            layers[1].output.weight.value.fill_(huge);
        else if (damage == "mlp")
            layers[1].down.weight.value.fill_(huge);
        else if (damage == "gradient")
            layers[1].output.lora->b.gradient.fill_(std::numeric_limits<double>::infinity());
        QCOMPARE(QString::fromStdString(findNotFinite(trainee, config, group)), place);
    }
};

QTEST_APPLESS_MAIN(TestNotFinite)
#include "tst_not_finite.moc"
