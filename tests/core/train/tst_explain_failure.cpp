#include "core/train/explain_failure.h"

#include <QTest>

using namespace tunebench;

/// The words for a run that failed.
class TestExplainFailure : public QObject {
    Q_OBJECT

private slots:
    void notFiniteIsExplained()
    {
        RunConfig config;
        config.compute = NumberType::fp16;
        config.maxGradNorm = 0;
        StepMetrics metrics;
        metrics.step = 12;
        const std::string text = explainNotFinite(metrics, config, "the loss of micro-batch 1");
        for (const char* part : { "step 12", "learning_rate", "bf16", "max_grad_norm" })
            QVERIFY2(text.find(part) != std::string::npos, part);
    }
};

QTEST_APPLESS_MAIN(TestExplainFailure)
#include "tst_explain_failure.moc"
