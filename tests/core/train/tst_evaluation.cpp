#include "core/runs/overfitting.h"
#include "core/train/checkpoint.h"
#include "core/train/cooling.h"
#include "core/train/evaluation_watch.h"
#include "tests/core/train/trainer_test.h"

#include <algorithm>
#include <cmath>

using namespace tunebench;

namespace {

/// Evaluations of a made-up run, one every ten steps; NaN stands for a loss that is not known.
std::vector<EvalMetrics> evaluations(const std::vector<double>& heldOut, const std::vector<double>& training)
{
    std::vector<EvalMetrics> made;
    for (size_t i = 0; i < heldOut.size(); ++i) {
        EvalMetrics& one = made.emplace_back();
        one.step = static_cast<int64_t>(10 * i);
        if (!std::isnan(heldOut[i]))
            one.loss = heldOut[i];
        if (!std::isnan(training[i]))
            one.trainingLoss = training[i];
    }
    return made;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool says(const Record& record, const std::string& part)
{
    return std::ranges::any_of(
        record.lines, [&](const LogLine& line) { return line.text.find(part) != std::string::npos; });
}

} // namespace

/// What the evaluations of a run decide.
class TestEvaluation : public TrainerTest {
    Q_OBJECT

    /// Learns so fast that it soon knows its few rows by heart.
    static std::vector<std::string> hasty(std::vector<std::string> more)
    {
        std::vector<std::string> options { "epochs=30", "eval_share=0.4", "eval_every=1", "learning_rate=0.01",
            "accumulation_steps=1" };
        options.insert(options.end(), more.begin(), more.end());
        return options;
    }

private slots:
    void overfittingIsSeen_data()
    {
        QTest::addColumn<std::vector<double>>("heldOut");
        QTest::addColumn<std::vector<double>>("training");
        QTest::addColumn<int>("since");
        using Losses = std::vector<double>;
        QTest::newRow("rises three times") << Losses { 2, 1, 1.1, 1.2 } << Losses { unknown, 1.5, 1.2, 1 } << 10;
        QTest::newRow("rises twice") << Losses { 2, 1, 1.1 } << Losses { unknown, 1.5, 1.2 } << -1;
        QTest::newRow("level") << Losses { 1, 1.1, 1.1 } << Losses { 1.5, 1.2, 1 } << -1;
        QTest::newRow("training rises too") << Losses { 1, 1.1, 1.2 } << Losses { 1.5, 1.6, 1.7 } << -1;
        QTest::newRow("from the untouched model on") << Losses { 1, 1.1, 1.2 } << Losses { unknown, 1.6, 1.5 } << 0;
        QTest::newRow("one is not known") << Losses { 1, unknown, 1.2 } << Losses { 1.5, 1.4, 1.3 } << -1;
        QTest::newRow("none") << Losses {} << Losses {} << -1;
    }

    void overfittingIsSeen()
    {
        QFETCH(std::vector<double>, heldOut);
        QFETCH(std::vector<double>, training);
        QFETCH(int, since);
        QCOMPARE(overfittingSince(evaluations(heldOut, training)).value_or(-1), since);
    }

    /// As transformers' EarlyStoppingCallback counts.
    void patienceIsCounted_data()
    {
        QTest::addColumn<std::vector<double>>("losses");
        QTest::addColumn<double>("minDelta");
        QTest::addColumn<int>("sinceGain");
        QTest::addColumn<int>("bestStep");
        using Losses = std::vector<double>;
        QTest::newRow("falls") << Losses { 3, 2, 1 } << 0.0 << 0 << 20;
        QTest::newRow("rises") << Losses { 1, 2, 3 } << 0.0 << 2 << 0;
        QTest::newRow("equal is no gain") << Losses { 1, 1 } << 0.0 << 1 << 0;
        QTest::newRow("too small a gain still is the best") << Losses { 1, 0.95, 0.9 } << 0.1 << 2 << 20;
        QTest::newRow("gain after a loss") << Losses { 1, 2, 0.5 } << 0.1 << 0 << 20;
        QTest::newRow("not finite") << Losses { 1, unknown, unknown } << 0.0 << 2 << 0;
    }

    void patienceIsCounted()
    {
        QFETCH(std::vector<double>, losses);
        QFETCH(double, minDelta);
        QFETCH(int, sinceGain);
        QFETCH(int, bestStep);
        RunSummary summary;
        for (const EvalMetrics& one : evaluations(losses, std::vector<double>(losses.size(), unknown)))
            countEvaluation(summary, one, minDelta);
        QCOMPARE(summary.evaluationsSinceGain, sinceGain);
        QCOMPARE(*summary.bestEvalStep, bestStep);
        QCOMPARE(*summary.lastEvalStep, static_cast<int64_t>(10 * (losses.size() - 1)));
    }

    /// The best result stays when the run ends later, in a checkpoint and as an adapter of its own.
    void runEndsEarly()
    {
        const Record record
            = run(job(hasty({ "early_stopping_patience=3", "keep_checkpoints=1", "eval_at_start=false" }), "early"));
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        const RunSummary& summary = record.states.back().summary;
        QVERIFY(summary.state == RunState::finished);
        QVERIFY(summary.step < summary.totalSteps);
        QVERIFY(summary.reason.find("Early stopping") != std::string::npos);
        QCOMPARE(summary.evaluationsSinceGain, 3);
        QCOMPARE(*summary.bestEvalStep, summary.step - 3);
        const auto best
            = std::ranges::min_element(record.evaluations, {}, [](const EvalMetrics& one) { return *one.loss; });
        QCOMPARE(best->step, *summary.bestEvalStep);
        QCOMPARE(checkpointSteps(*record.outcome), (std::vector<int64_t> { summary.step, *summary.bestEvalStep }));
        const auto bestAdapter = readFile(*record.outcome / "best" / "adapter" / "adapter_model.safetensors");
        QVERIFY(bestAdapter.has_value());

        const Record shorter
            = run(job(hasty({ "max_steps=" + std::to_string(best->step), "scheduler=constant" }), "shorter"));
        QVERIFY(readFile(*shorter.outcome / "adapter" / "adapter_model.safetensors").value() == *bestAdapter);
        QVERIFY(!std::filesystem::exists(*shorter.outcome / "best"));
    }

    /// The means and the counts of a run that goes on are those of one that never stopped.
    void endIsTheSameAfterAStop()
    {
        const auto options = hasty({ "early_stopping_patience=3", "save_every=3" });
        const Record whole = run(job(options, "unbroken"));
        std::string broken;
        for (RunState state = RunState::finished; state != RunState::stopped;) { // unless the run was faster
            broken += "broken";
            Trainer trainer(job(options, broken));
            Record record;
            follow(trainer, record, [](const Record& r) { return r.steps.size() >= 2; });
            trainer.stop();
            trainer.wait();
            state = findRun(runs(), broken).value().summary.state;
        }
        const Record second = run(rest(broken));
        QVERIFY2(second.outcome.has_value(), second.outcome ? "" : second.outcome.error().message.c_str());
        const auto curves = readCurves(*second.outcome).value();
        QCOMPARE(curves.evaluations.size(), whole.evaluations.size());
        for (size_t i = 0; i < curves.evaluations.size(); ++i) {
            QCOMPARE(curves.evaluations[i].step, whole.evaluations[i].step);
            QCOMPARE(curves.evaluations[i].loss, whole.evaluations[i].loss);
            QCOMPARE(curves.evaluations[i].gap, whole.evaluations[i].gap);
        }
        QCOMPARE(second.states.back().summary.reason, whole.states.back().summary.reason);
        QCOMPARE(second.states.back().summary.overfittingSince, whole.states.back().summary.overfittingSince);

        // More patience than before: the run has not come to its end any more.
        const Record third = run(rest(broken, { "early_stopping_patience=100" }));
        QVERIFY(third.states.back().summary.step > second.states.back().summary.step);
    }

    /// The rows shall be learnt by heart: nobody is warned, and the summary says why.
    void overfittingCanBeIntended()
    {
        const Record warned = run(job(hasty({ "max_steps=20" })));
        QVERIFY(says(warned, "by heart"));
        const Record intended = run(job(hasty({ "max_steps=20", "overfitting_intended=true" })));
        QVERIFY(!says(intended, "by heart"));
        const auto& [before, after] = std::pair(warned.states.back().summary, intended.states.back().summary);
        QVERIFY(before.overfitting.find("early_stopping_patience") != std::string::npos);
        QVERIFY2(after.overfitting.find("overfitting_intended says") != std::string::npos, after.overfitting.c_str());
        QCOMPARE(after.overfittingSince, before.overfittingSince);
    }

    void runEndsAtALoss()
    {
        const Record record = run(job(hasty({ "stop_at_eval_loss=100" }), "low"));
        QCOMPARE(record.states.back().summary.step, 0); // the untouched model is evaluated first
        const Record next = run(job(hasty({ "stop_at_eval_loss=100", "eval_at_start=false" }), "next"));
        QCOMPARE(next.states.back().summary.step, 1);
        QVERIFY(next.states.back().summary.reason.find("stop_at_eval_loss") != std::string::npos);
    }

    void runEndsInTime()
    {
        const Record record = run(job({ "epochs=100000", "max_hours=0.0002", "eval_share=0.3", "scheduler=linear" }));
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        const RunSummary& summary = record.states.back().summary;
        QVERIFY(summary.state == RunState::finished);
        QVERIFY(summary.step > 0 && summary.step < summary.totalSteps);
        QVERIFY(summary.reason.find("max_hours") != std::string::npos);
        QCOMPARE(*summary.lastEvalStep, summary.step);
        // The schedule came down with the time, not with the steps that would have taken days.
        QVERIFY(record.steps.back().learningRate < 0.5 * record.steps.front().learningRate);
    }

    /// Training waits from the limit on until the card is 5 degrees cooler.
    void hotCardWaits()
    {
        Cooling cooling(80);
        std::vector<bool> waits;
        for (const double temperature : { 70.0, 80.0, 80.5, 79.0, 75.5, 75.0, 79.0, 81.0 })
            waits.push_back(cooling.mustWait(temperature));
        QCOMPARE(waits, (std::vector<bool> { false, false, true, true, true, false, false, true }));
        QVERIFY(!cooling.mustWait(std::nullopt)); // a driver that tells no more holds nobody up
        QVERIFY(!Cooling(std::nullopt).mustWait(200));
    }

    void evaluationsTellTheGap()
    {
        const Record record = run(job({ "eval_share=0.3", "eval_every=2", "epochs=4" }));
        const EvalMetrics& first = record.evaluations.front();
        QVERIFY(first.step == 0 && !first.trainingLoss && !first.gap);
        QCOMPARE(*first.perplexity, std::exp(*first.loss));
        const EvalMetrics& second = record.evaluations.at(1);
        QCOMPARE(*second.trainingLoss, (*record.steps[0].loss + *record.steps[1].loss) / 2);
        QCOMPARE(*second.gap, *second.loss - *second.trainingLoss);
        QVERIFY(says(record, "updates"));
    }

    void logEveryZeroWritesTheLastStep()
    {
        const Record record = run(job({ "log_every=0", "max_steps=3", "epochs=9" }));
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        const auto curves = readCurves(*record.outcome).value();
        QCOMPARE(curves.steps.size(), size_t { 1 });
        QCOMPARE(curves.steps.front().step, 3);
    }
};

QTEST_GUILESS_MAIN(TestEvaluation)
#include "tst_evaluation.moc"
