#include "core/base/files.h"
#include "ui/form/config_model.h"
#include "ui/train/memory_panel.h"
#include "ui/train/memory_strip.h"

#include <QHelpEvent>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

using namespace tunebench;

namespace {

constexpr int64_t mebibyte = 1048576;
constexpr int patience = 30000;

/// A peak of 100 MiB a row of the micro-batch, half of it weights; the limit is that of the options.
Result<MemoryPlan> plan(const ConfigChoice& choice, const RunExtents& extents, PlanDetail /*detail*/)
{
    if (choice.values.batchSize == 7)
        return failure("No row is left.");
    MemoryPlan made;
    made.config = choice.values;
    made.peakAllocated = choice.values.batchSize * 100 * mebibyte + static_cast<int64_t>(extents.dataset.size());
    made.atPeak[0] = made.peakAllocated / 2;
    made.atPeak[4] = made.peakAllocated - made.atPeak[0];
    return made;
}

std::vector<Remedy> remedies(const ConfigChoice& choice, const RunExtents& /*extents*/, const MemoryPlan& plan)
{
    if (choice.values.batchSize == 1)
        return {};
    return { { { { "batch_size", "1" }, { "accumulation_steps", "9" } }, "the same result",
        plan.peakAllocated - 100 * mebibyte, true } };
}

} // namespace

namespace {

/// With usual spaces instead of those that hold number and unit together.
QString plain(QString text)
{
    return text.replace(QChar(QChar::Nbsp), ' ');
}

} // namespace

class TestMemoryPanel : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// A form over three rows of tokens.
    void fill(ConfigModel& model) const
    {
        const std::string file = m_folder.filePath("rows.jsonl").toStdString();
        QVERIFY(writeFileAtomically(file, "{\"input_ids\":[1,2]}\n{\"input_ids\":[1,2]}\n{\"input_ids\":[1,2,3]}\n"));
        model.set("dataset", { file });
        model.set("memory_limit", 250 * mebibyte);
        model.set("device", "cpu");
    }

private slots:
    void followsTheForm()
    {
        ConfigModel model;
        DataAnalysis analysis;
        MemoryPanel panel(model, analysis, { plan, remedies }, nullptr);
        QSignalSpy planned(&panel, &MemoryPanel::planned);
        fill(model);
        model.set("batch_size", 2);
        analysis.setConfig(model.choice().values);
        QVERIFY(planned.wait(patience));
        QVERIFY2(plain(panel.headline()).contains("200 MiB"), qPrintable(panel.headline()));
        QVERIFY2(plain(panel.headline()).contains("50.0 MiB free"), qPrintable(panel.headline()));

        model.set("batch_size", 4);
        QVERIFY(planned.wait(patience));
        QVERIFY2(plain(panel.headline()).contains("150 MiB more than"), qPrintable(panel.headline()));
        QVERIFY2(
            plain(panel.remedies()).contains("batch_size 1 with accumulation_steps 9"), qPrintable(panel.remedies()));

        model.set("batch_size", 7);
        QVERIFY(planned.wait(patience));
        QVERIFY2(plain(panel.headline()).contains("No row is left."), qPrintable(panel.headline()));
    }

    /// The time stands below the memory: measured, of a card that is not here at best, or why there is none; planning
    /// again finds what became known meanwhile.
    void timeIsSaid()
    {
        std::optional<double> measured, atBest;
        ConfigModel model;
        DataAnalysis analysis;
        MemoryPanel panel(model, analysis,
            { [&](const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail) {
                 auto made = plan(choice, extents, detail);
                 made->secondsPerStep = measured;
                 made->secondsAtBest = atBest;
                 made->noTime = measured ? "" : "The device has not been measured.";
                 made->counts.totalSteps = 30;
                 return made;
             },
                remedies },
            nullptr);
        QSignalSpy planned(&panel, &MemoryPanel::planned);
        fill(model);
        analysis.setConfig(model.choice().values);
        QVERIFY(planned.wait(patience));
        QVERIFY2(plain(panel.headline()).contains("No planned time. The device has not been measured."),
            qPrintable(panel.headline()));
        atBest = 2;
        panel.plan();
        QVERIFY(planned.wait(patience));
        QVERIFY2(plain(panel.headline()).contains("Time at best <b>2.0 s a step</b>, 1 min 00 s in all"),
            qPrintable(panel.headline()));
        measured = 4;
        panel.plan();
        QVERIFY(planned.wait(patience));
        QVERIFY2(plain(panel.headline()).contains("Planned time <b>4.0 s a step</b>, 2 min 00 s in all"),
            qPrintable(panel.headline()));
    }

    /// A click on a remedy changes all its options in one step, which undo takes back.
    void remedyIsApplied()
    {
        ConfigModel model;
        DataAnalysis analysis;
        MemoryPanel panel(model, analysis, { plan, remedies }, nullptr);
        QSignalSpy planned(&panel, &MemoryPanel::planned);
        fill(model);
        analysis.setConfig(model.choice().values);
        QVERIFY(planned.wait(patience));
        panel.resize(500, 200);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* label = panel.findChildren<QLabel*>().last();
        label->setFocus();
        QTest::keyClick(label, Qt::Key_Tab); // the first link
        QTest::keyClick(label, Qt::Key_Return);
        QCOMPARE(model.choice().values.batchSize, 1);
        QCOMPARE(model.choice().values.accumulationSteps, 9);
        model.undoStack()->undo();
        QCOMPARE(model.choice().values.batchSize, 4);
        QCOMPARE(model.choice().values.accumulationSteps, 4);
    }

    /// The smaller of the limit and what is free counts; what a run holds is free for the next one.
    void freeMemoryIsTheLimitWhenItIsSmaller()
    {
        auto free = std::make_shared<FreeMemory>();
        ConfigModel model;
        DataAnalysis analysis;
        MemoryPanel panel(model, analysis,
            { .plan = plan, .remedies = remedies, .freeMemory = [free](const RunConfig&) { return *free; } }, nullptr);
        QSignalSpy planned(&panel, &MemoryPanel::planned);
        QSignalSpy read(&panel.freeMemory(), &FreeMemoryWatch::changed);
        *free = { 150 * mebibyte, { { "browser", 2, 30 * mebibyte }, { "editor", 1, 25 * mebibyte } } };
        fill(model);
        model.set("batch_size", 2);
        analysis.setConfig(model.choice().values);
        panel.show();
        QVERIFY(planned.wait(patience));
        QTRY_VERIFY_WITH_TIMEOUT(!read.isEmpty(), patience);
        panel.freeMemory().stop(); // from here on the test is the clock
        QVERIFY2(plain(panel.headline())
                     .contains("50.0 MiB more than the 150 MiB free now</span>; closing browser "
                               "and editor would make room"),
            qPrintable(panel.headline()));
        const auto* headline = panel.findChildren<QLabel*>().first();
        QVERIFY2(
            plain(headline->toolTip()).contains("browser (2 processes): 30.0 MiB"), qPrintable(headline->toolTip()));

        const auto reread = [&] {
            read.clear();
            panel.freeMemory().refresh();
            QVERIFY(read.wait(patience));
        };
        *free = { 220 * mebibyte, {} };
        reread();
        QVERIFY2(plain(panel.headline()).contains("220 MiB (free now): 20.0 MiB free"), qPrintable(panel.headline()));
        panel.setHeld(100 * mebibyte); // more than the limit then
        QVERIFY2(plain(panel.headline()).contains("250 MiB (limit): 50.0 MiB free"), qPrintable(panel.headline()));
        *free = {}; // not known
        panel.setHeld(0);
        reread();
        QVERIFY2(plain(panel.headline()).contains("250 MiB (limit): 50.0 MiB free"), qPrintable(panel.headline()));
    }

    /// Nobody is asked while nobody looks.
    void freeMemoryIsReadWhileThePanelIsSeen()
    {
        FreeMemoryWatch watch([](const RunConfig&) { return FreeMemory { 1, {} }; }, nullptr);
        QSignalSpy read(&watch, &FreeMemoryWatch::changed);
        watch.start({});
        watch.stop();
        watch.start({});
        QVERIFY(read.wait(patience));
        QCOMPARE(watch.reading().bytes, int64_t { 1 });
        FreeMemoryWatch none({}, nullptr);
        none.start({});
        QCOMPARE(none.reading().bytes, int64_t { 0 });
    }

    void stripTellsCategories()
    {
        MemoryStrip strip(nullptr);
        strip.resize(400, 20);
        MemoryBreakdown peak {};
        peak[0] = 100;
        peak[4] = 100;
        strip.show(peak, 400);
        QCOMPARE(strip.categoryAt({ 50, 10 }), MemoryCategory::weights);
        QCOMPARE(strip.categoryAt({ 150, 10 }), MemoryCategory::savedActivations);
        QVERIFY(!strip.categoryAt({ 300, 10 })); // room
        strip.show(peak, 100); // too much: the strip is as long as the peak
        QCOMPARE(strip.categoryAt({ 300, 10 }), MemoryCategory::savedActivations);
        QVERIFY(categoryHelp(MemoryCategory::savedActivations).contains("gradient_checkpointing"));
    }
};

QTEST_MAIN(TestMemoryPanel)
#include "tst_memory_panel.moc"
