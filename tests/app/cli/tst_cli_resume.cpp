#include "core/runs/run_library.h"
#include "tests/app/cli/cli_program.h"

#include <random>

using namespace tunebench;

/// The real program, killed again and again, ends with what it would have had without.
class TestCliResume : public QObject, private CliProgram {
    Q_OBJECT

    static constexpr int kills = 20;

    /// Lets the program take some steps beyond those of before and kills it a little later, wherever it then is: while
    /// it loads, in a step, in an evaluation, while it writes. True when it was still running.
    bool runAndKill(const QStringList& arguments, std::mt19937& random) const
    {
        constexpr int patience = 60000;
        const auto before = readCurves(runsPath() + "/killed");
        const int64_t last = (before && !before->steps.empty() ? before->steps.back().step : 0) + random() % 9;
        QProcess process;
        start(process, arguments);
        for (int64_t step = 0; step < last;) {
            if (!process.canReadLine() && !process.waitForReadyRead(patience))
                break;
            while (step < last && process.canReadLine()) {
                if (const auto metrics = metricsFromJson(process.readLine().trimmed().toStdString()))
                    step = std::visit([](const auto& record) { return record.step; }, *metrics);
            }
        }
        const bool ended = process.waitForFinished(static_cast<int>(random() % 40));
        process.kill();
        process.waitForFinished(patience);
        return !ended;
    }

private slots:
    void killedRunsEndTheSame_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("shuffled, with dropout, evaluations, early stopping and packing")
            << QStringList { "lora_dropout=0.2", "eval_share=0.3", "eval_every=2", "early_stopping_patience=1000",
                   "packing=true", "max_length=64", "accumulation_steps=3", "batch_size=1" };
    }

    void killedRunsEndTheSame()
    {
        QFETCH(QStringList, options);
        QStringList set;
        for (const QString& option : options + QStringList { "epochs=80", "max_steps=200", "save_every=1" })
            set << "--set" << option;
        QByteArray out, err;
        QCOMPARE(run(QStringList { "train", config(), "--runs", runs(), "--name", "whole" } + set, out, err), 0);

        std::mt19937 random(20);
        const QStringList resume { "resume", "killed", "--runs", runs(), "--json" };
        const QStringList train
            = QStringList { "train", config(), "--runs", runs(), "--name", "killed", "--json" } + set;
        int killed = 0;
        while (killed < kills) {
            const bool begun = findRun(runsPath(), "killed").has_value();
            QVERIFY2(runAndKill(begun ? resume : train, random), "the run ended before it was killed often enough");
            ++killed;
        }
        QCOMPARE(run(resume, out, err), 0);

        const auto whole = findRun(runsPath(), "whole").value();
        const auto parted = findRun(runsPath(), "killed").value();
        QVERIFY(parted.summary.state == RunState::finished);
        for (const char* file : { "adapter/adapter_model.safetensors", "adapter/adapter_config.json" })
            QVERIFY(readFile(parted.path / file).value() == readFile(whole.path / file).value());
        const auto right = readCurves(whole.path).value();
        const auto curves = readCurves(parted.path).value();
        QCOMPARE(curves.steps.size(), right.steps.size());
        for (size_t i = 0; i < right.steps.size(); ++i) {
            QCOMPARE(curves.steps[i].loss, right.steps[i].loss);
            QCOMPARE(curves.steps[i].gradNorm, right.steps[i].gradNorm);
        }
        QCOMPARE(curves.evaluations.size(), right.evaluations.size());
        for (size_t i = 0; i < right.evaluations.size(); ++i) {
            QCOMPARE(curves.evaluations[i].step, right.evaluations[i].step);
            QCOMPARE(curves.evaluations[i].loss, right.evaluations[i].loss);
        }
    }
};

QTEST_GUILESS_MAIN(TestCliResume)
#include "tst_cli_resume.moc"
