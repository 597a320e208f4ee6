#include "app/cli/train_output.h"

#include <QTest>
#include <sstream>

using namespace tunebench;

namespace {

StepMetrics someStep()
{
    StepMetrics step;
    step.step = 3;
    step.loss = 1.53214;
    step.seconds = 2;
    step.tokensPerSecond = 1040.4;
    step.peakAllocated = int64_t { 812 } << 20;
    return step;
}

StateChange someState()
{
    StateChange change;
    change.summary.totalSteps = 63;
    change.run = "/runs/one";
    return change;
}

} // namespace

class TestTrainOutput : public QObject {
    Q_OBJECT

private slots:
    void plainLines();
    void progressOnATerminal();
    void jsonLines();
    void lossThatIsNotFinite();

private:
    std::istringstream m_in;
    std::ostringstream m_out, m_err;
    QByteArray written()
    {
        const std::string text = m_out.str();
        m_out.str("");
        return QByteArray::fromStdString(text);
    }
};

void TestTrainOutput::plainLines()
{
    Console console { m_in, m_out, m_err };
    TrainOutput output(console, false);
    output.show(LogLine { "Opening the model.", false });
    output.show(LogLine { "Two rows were left out.", true });
    output.show(someState());
    output.show(EvalMetrics { .step = 0, .loss = 2.25, .tokens = 100, .seconds = 1 });
    AnswerMetrics answer;
    answer.prompt = "Why?";
    answer.text = "Because\n\x1b[2J" + std::string(200, 'x');
    output.show(answer);
    output.show(someStep());
    output.endProgress();
    output.finish("/runs/one");
    QCOMPARE(written(),
        QByteArray("Opening the model.\nWarning: Two rows were left out.\nstep 0  held-out loss 2.2500\n"
                   "step 0  Why?  ->  Because  [2J"
            + QByteArray(108, 'x')
            + "...\n"
              "step 3/63  loss 1.5321  1040 tokens/s  peak 812 MiB  2:00 left\n/runs/one\n"));
}

void TestTrainOutput::progressOnATerminal()
{
    Console console { m_in, m_out, m_err };
    TrainOutput output(console, true);
    output.show(someState());
    output.show(someStep());
    QVERIFY(m_out.str().find('\n') == std::string::npos);
    QVERIFY(written().startsWith("\r\x1b[Kstep 3/63"));
    output.show(LogLine { "Saving.", false });
    QCOMPARE(written(), QByteArray("\r\x1b[KSaving.\n"));
    output.show(someStep());
    written();
    output.endProgress();
    output.finish("/runs/one");
    QCOMPARE(written(), QByteArray("\n/runs/one\n"));
}

void TestTrainOutput::jsonLines()
{
    Console console { m_in, m_out, m_err, true };
    TrainOutput output(console, true);
    output.show(LogLine { "Opening the model.", false });
    output.show(someState());
    output.show(someStep());
    output.show(EvalMetrics { .step = 3, .loss = 2.25, .tokens = 100, .seconds = 1 });
    output.show(AnswerMetrics { .step = 3, .prompt = "Why?", .text = "So." });
    output.endProgress();
    output.finish("/runs/one");
    const QList<QByteArray> lines = written().split('\n');
    QCOMPARE(lines.size(), 7);
    QCOMPARE(lines[0], QByteArray(R"({"type":"log","text":"Opening the model.","warning":false})"));
    QVERIFY(lines[1].startsWith(R"({"type":"state","state":"running")") && lines[1].endsWith(R"("run":"/runs/one"})"));
    QCOMPARE(lines[2], QByteArray::fromStdString(metricsToJson(someStep()).dump()));
    QCOMPARE(lines[3],
        QByteArray::fromStdString(
            metricsToJson(EvalMetrics { .step = 3, .loss = 2.25, .tokens = 100, .seconds = 1 }).dump()));
    QCOMPARE(
        lines[4], QByteArray(R"({"type":"answer","step":3,"prompt":"Why?","text":"So.","tokens":0,"seconds":0.0})"));
    QCOMPARE(lines[5], QByteArray(R"({"type":"run","run":"/runs/one"})"));
}

void TestTrainOutput::lossThatIsNotFinite()
{
    Console console { m_in, m_out, m_err };
    TrainOutput output(console, false);
    StepMetrics step = someStep();
    step.loss.reset();
    step.note = "the loss is not a number";
    output.show(step);
    const QByteArray line = written();
    QVERIFY(line.contains("loss -  ") && line.endsWith("  the loss is not a number\n"));
}

QTEST_GUILESS_MAIN(TestTrainOutput)
#include "tst_train_output.moc"
