#include "core/config/demo.h"
#include "core/train/trainer.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tunebench;

/// The demo model and the demo rows from text to gradient, against transformers + PEFT. The right values are the lines
/// that
///
///     peer_train.py --model FOLDER --data resources/demo/alpaca_demo.json --rows 10 --batch 2 --steps 5 --rank 2
///     --alpha 4
///                   --targets q_proj,v_proj --save-init tests/data/train/smollm2_adapter
///
/// printed (tests/bench/peer_train.py), FOLDER being the demo model as transformers saves it.
class TestSmolLm2 : public QObject {
    Q_OBJECT

private:
    static nlohmann::json referenceLines()
    {
        std::ifstream file(std::string(TUNEBENCH_TEST_DATA) + "/train/smollm2_reference.jsonl");
        auto lines = nlohmann::json::array();
        for (std::string line; std::getline(file, line);)
            lines.push_back(nlohmann::json::parse(line));
        return lines;
    }

    static std::vector<StepMetrics> train(const QString& runs, const std::string& type, int64_t steps)
    {
        TrainingJob job;
        job.runs = runs.toStdString();
        RunConfig& config = job.config.values;
        config.maxRows = 10;
        config.maxSteps = steps;
        config.adapter = std::string(TUNEBENCH_TEST_DATA) + "/train/smollm2_adapter";
        config.batchSize = 2;
        config.accumulationSteps = 1;
        config.order = RowOrder::sequential;
        config.evalShare = 0;
        config.scheduler = Scheduler::constant;
        config.warmupRatio = 0;
        config.device = "cpu";
        config.precision = config.compute = type == "fp32" ? NumberType::fp32 : NumberType::bf16;
        Trainer trainer(std::move(job));
        trainer.wait();
        std::vector<StepMetrics> made;
        for (const TrainerEvent& event : trainer.drain()) {
            if (const auto* step = std::get_if<StepMetrics>(&event))
                made.push_back(*step);
        }
        if (!trainer.outcome())
            qWarning("%s", trainer.outcome().error().message.c_str());
        return made;
    }

private slots:
    void initTestCase()
    {
        if (!std::filesystem::exists(demoModel()))
            QSKIP("The demo model is not there: run packaging/setup.sh, or set TUNEBENCH_DEMO_MODEL.");
    }

    void stepsMatchThePeer_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<double>("lossTolerance");
        QTest::addColumn<double>("normTolerance");
        QTest::newRow("fp32") << "fp32" << 1e-5 << 1e-3;
        QTest::newRow("bf16") << "bf16" << 1e-2 << 5e-2;
    }

    void stepsMatchThePeer()
    {
        QFETCH(QString, type);
        QFETCH(double, lossTolerance);
        QFETCH(double, normTolerance);
        const QTemporaryDir runs;
        const auto steps = train(runs.path(), type.toStdString(), 5);
        const auto right = referenceLines();
        QCOMPARE(steps.size(), right.size());
        for (size_t i = 0; i < right.size(); ++i) {
            const double loss = right[i].at("loss"), norm = right[i].at("grad_norm");
            QVERIFY2(
                std::abs(*steps[i].loss - loss) < lossTolerance * loss, qPrintable(QString::number(*steps[i].loss)));
            QVERIFY2(std::abs(*steps[i].gradNorm - norm) < normTolerance * norm,
                qPrintable(QString::number(*steps[i].gradNorm)));
            QCOMPARE(steps[i].supervisedTokens, right[i].at("supervised_tokens").get<int64_t>());
            QCOMPARE(steps[i].tokens, right[i].at("tokens").get<int64_t>());
        }
    }
};

QTEST_GUILESS_MAIN(TestSmolLm2)
#include "tst_smollm2.moc"
