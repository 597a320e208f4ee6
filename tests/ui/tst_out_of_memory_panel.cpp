#include "ui/form/config_model.h"
#include "ui/train/out_of_memory_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QTest>

using namespace tunebench;

namespace {

OutOfMemoryReport sample(int remedies)
{
    OutOfMemoryReport report;
    report.phase = OutOfMemoryPhase::firstStep;
    report.step = 1;
    report.limit = 100 << 20;
    report.allocated = 98 << 20;
    report.categories = { { "weights", 98 << 20 } };
    report.rowLengths = { 512, 40 };
    const std::vector<Remedy> all { { { { "batch_size", "2" }, { "accumulation_steps", "8" } }, "the same result",
                                        30 << 20, true, 90 << 20 },
        { { { "gradient_checkpointing", "full" } }, "a third longer", 40 << 20, true, 80 << 20 } };
    report.remedies.assign(all.begin(), all.begin() + remedies);
    return report;
}

} // namespace

class TestOutOfMemoryPanel : public QObject {
    Q_OBJECT

private slots:
    void tellsFactsAndRemedies()
    {
        ConfigModel model;
        OutOfMemoryPanel panel(model, nullptr);
        QVERIFY(panel.isHidden());
        panel.show(sample(2));
        QVERIFY(!panel.isHidden());
        QStringList texts;
        for (const QLabel* label : panel.findChildren<QLabel*>())
            texts << label->text();
        const QString all = texts.join('\n');
        for (const char* part : { "in step 1", "weights 98 MiB", "512, 40 tokens", "gradient_checkpointing full" })
            QVERIFY2(all.contains(QLatin1String(part)), qPrintable(all));
        panel.show(sample(1)); // another run's takes its place
        QCOMPARE(panel.findChildren<QPushButton*>().size(), 1);
        panel.clear();
        QVERIFY(panel.isHidden());
        QVERIFY(panel.findChildren<QPushButton*>().isEmpty());
    }

    /// One step, which undo takes back.
    void applySetsTheOptions()
    {
        ConfigModel model;
        OutOfMemoryPanel panel(model, nullptr);
        panel.show(sample(2));
        auto* button = panel.findChildren<QPushButton*>().first();
        QVERIFY(button->accessibleName().contains("batch_size 2"));
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(model.choice().values.batchSize, 2);
        QCOMPARE(model.choice().values.accumulationSteps, 8);
        model.undoStack()->undo();
        QCOMPARE(model.choice().values.batchSize, 4);
        QCOMPARE(model.choice().values.accumulationSteps, 4);
    }
};

QTEST_MAIN(TestOutOfMemoryPanel)
#include "tst_out_of_memory_panel.moc"
