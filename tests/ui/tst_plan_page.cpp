#include "core/model/model_shapes.h"
#include "tests/ui/plan_session.h"
#include "ui/plan/best_panel.h"
#include "ui/plan/card_chooser.h"
#include "ui/plan/fit_table.h"
#include "ui/plan/longest_table.h"
#include "ui/plan/shapes_panel.h"
#include "ui/plan/step_panel.h"
#include "ui/plan/step_plot.h"
#include "ui/plan/why_table.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>

using namespace tunebench;

class TestPlanPage : public QObject {
    Q_OBJECT
private slots:
    void theGridTellsWhatFits();
    void aClickTakesACell();
    void theKeyboardTakesACell();
    void accumulationIsExplained();
    void selectorsPlanOtherwise();
    void theCardIsTheLimit();
    void theBestIsTheFastestThatFits();
    void nothingFits();
    void theLongestLengthIsFoundToAMultipleOfEight();
    void theStepIsShownWithAnother();
    void aPeakOutsideTheStepIsNamed();
    void eachChangeHasItsPrice();
    void modelsAreListedOnceTheirTabIsOpen();
    void refusalsAreSaid();
    void rowsMustBeCounted();
};

void TestPlanPage::theGridTellsWhatFits()
{
    const PlanSession session;
    session.show();
    const auto& table = session.widget<FitTable>();
    QCOMPARE(table.rowCount(), 6); // 1 to 32
    QCOMPARE(table.columnCount(), 5); // 64, 128, 256, the longest row, and the form's own
    QCOMPARE(session.columnOf("304 tokens"), 3);
    QCOMPARE(session.columnOf("512 tokens"), 4);
    QCOMPARE(session.cell(0, 0), QStringLiteral("\u2713 32.0 MiB\n2 min 56 s")); // 16 times 11 s
    QCOMPARE(session.cell(3, 0), QStringLiteral("\u2713 256 MiB\n36 s"));
    QCOMPARE(session.cell(4, 0), QStringLiteral("\u2715 512 MiB\n26 s"));
    QVERIFY(PlanSession::plain(table.item(4, 0)->toolTip()).contains("of 400 MiB (limit), too big"));
    QVERIFY(table.item(0, 0)->background().color() != table.item(4, 0)->background().color());
    QVERIFY(table.item(0, 0)->background().style() != table.item(4, 0)->background().style());
}

void TestPlanPage::aClickTakesACell()
{
    PlanSession session;
    session.show();
    session.click(session.widget<FitTable>(), 1, session.columnOf("128 tokens"));
    QCOMPARE(session.model.choice().values.batchSize, 2);
    QCOMPARE(session.model.choice().values.accumulationSteps, 8);
    QCOMPARE(session.model.choice().values.maxLength, 128);
    QCOMPARE(session.model.undoStack()->undoText(), QString("batch 2 and length 128 from the plan"));
    session.model.undoStack()->undo();
    QCOMPARE(session.model.choice().values.batchSize, 4);
    QCOMPARE(session.model.choice().values.accumulationSteps, 4);
    QCOMPARE(session.model.choice().values.maxLength, 512);
}

void TestPlanPage::theKeyboardTakesACell()
{
    PlanSession session;
    session.show();
    auto& table = session.widget<FitTable>();
    table.setFocus();
    table.setCurrentCell(0, 0);
    QTest::keyClick(&table, Qt::Key_Down);
    QTest::keyClick(&table, Qt::Key_Right);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(session.model.choice().values.batchSize, 2);
    QCOMPARE(session.model.choice().values.maxLength, 128);
}

void TestPlanPage::accumulationIsExplained()
{
    PlanSession session;
    session.show();
    const auto isSaid = [&session](const QString& words) {
        const auto labels = session.page->findChildren<QLabel*>();
        return std::ranges::any_of(
            labels, [&words](const QLabel* label) { return label->isVisible() && label->text().contains(words); });
    };
    QVERIFY(isSaid(QStringLiteral("an update stays 16 rows")));
    QVERIFY(isSaid(QStringLiteral("what is learnt stays the same to rounding")));
    QSignalSpy done(session.page.get(), &PlanPage::planned);
    session.model.set("loss_normalization", "micro_batch_mean");
    QVERIFY(done.wait(patience));
    QVERIFY(isSaid(QStringLiteral("what is learnt differs")));
}

void TestPlanPage::selectorsPlanOtherwise()
{
    PlanSession session;
    session.show();
    QSignalSpy done(session.page.get(), &PlanPage::planned);
    for (auto* box : session.page->findChildren<QComboBox*>()) {
        if (const int index = box->findText("bf16"); index >= 0) {
            box->setFocus();
            while (box->currentIndex() != index) {
                QTest::keyClick(box, Qt::Key_Down);
            }
        }
    }
    QVERIFY(done.wait(patience));
    QCOMPARE(session.cell(4, 0).section('\n', 0, 0), QStringLiteral("\u2713 256 MiB"));
    session.click(session.widget<FitTable>(), 4, 0); // what was shown is taken
    QCOMPARE(session.model.choice().values.compute, NumberType::bf16);
    QCOMPARE(session.model.choice().values.precision, NumberType::bf16);
}

void TestPlanPage::theCardIsTheLimit()
{
    PlanSession session;
    session.model.set("memory_limit", 0);
    session.show();
    QSignalSpy done(session.page.get(), &PlanPage::planned);
    auto& chooser = session.widget<CardChooser>();
    QCOMPARE(chooser.currentText(), QString("This machine"));
    chooser.setFocus();
    QTest::keyClicks(&chooser, "GTX 1650");
    QCOMPARE(session.model.choice().values.card, std::optional<std::string>("GTX 1650"));
    QVERIFY(done.wait(patience));
    const auto& table = session.widget<FitTable>();
    QVERIFY(
        PlanSession::plain(table.item(5, session.columnOf("304 tokens"))->toolTip()).contains("(GTX 1650), too big"));
    session.model.set("card", "6 GiB");
    QCOMPARE(chooser.currentText(), QString("6 GiB"));
    session.model.undoStack()->undo();
    QVERIFY(chooser.currentText().startsWith("GTX 1650"));
}

void TestPlanPage::theBestIsTheFastestThatFits()
{
    PlanSession session;
    session.show();
    // At 300 tokens off allows batch 2 (8 times 12 s), recomputing batch 8 (2 times 18 s and a third).
    auto& best = session.widget<BestPanel>();
    QVERIFY2(best.sentence().contains("batch_size 8 with accumulation_steps 2"), qPrintable(best.sentence()));
    QVERIFY2(best.sentence().contains("48 s a step"), qPrintable(best.sentence()));
    QVERIFY2(PlanSession::plain(best.sentence()).contains("Without recomputing it would need 1.17 GiB"),
        qPrintable(best.sentence()));
    auto* button = best.findChild<QPushButton*>();
    QSignalSpy done(session.page.get(), &PlanPage::planned);
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(session.model.choice().values.batchSize, 8);
    QCOMPARE(session.model.choice().values.accumulationSteps, 2);
    QVERIFY(session.model.choice().values.gradientCheckpointing != GradientCheckpointing::off);
    QCOMPARE(session.model.choice().values.maxLength, 512);
    QVERIFY(done.wait(patience));
    QVERIFY(best.sentence().contains("(yours)"));
    QVERIFY(!button->isEnabled());
}

void TestPlanPage::nothingFits()
{
    PlanSession session;
    session.model.set("memory_limit", 1);
    session.show();
    QVERIFY(session.widget<BestPanel>().sentence().startsWith("Nothing fits"));
    QVERIFY(!session.widget<BestPanel>().findChild<QPushButton*>()->isEnabled());
    QCOMPARE(session.widget<LongestTable>().item(0, 0)->text(), QString("none"));
}

void TestPlanPage::theLongestLengthIsFoundToAMultipleOfEight()
{
    PlanSession session;
    session.show();
    auto& table = session.widget<LongestTable>();
    const auto expected = [](int64_t batch, bool recomputes) {
        for (int64_t length = 304; length >= 16; length -= 8) {
            ConfigChoice choice;
            choice.values.batchSize = batch;
            choice.values.maxLength = length;
            choice.values.gradientCheckpointing = recomputes ? GradientCheckpointing::full : GradientCheckpointing::off;
            const std::array<RowExtent, 1> row {};
            if (planned(choice, { row }, PlanDetail::figures)->needed() <= 400 * mebibyte) {
                return length;
            }
        }
        return int64_t { 0 };
    };
    for (int row = 0; row < table.rowCount(); ++row) {
        for (int column = 0; column < table.columnCount(); ++column) {
            const int64_t length = expected(int64_t { 1 } << row, column == 1);
            QCOMPARE(table.item(row, column)->text(),
                length == 304 ? QString("304 (all rows whole)") : QString::number(length));
        }
    }
    session.click(table, 3, 0);
    QCOMPARE(session.model.choice().values.batchSize, 8);
    QCOMPARE(session.model.choice().values.maxLength, 96);
}

void TestPlanPage::theStepIsShownWithAnother()
{
    PlanSession session;
    session.show();
    auto& plot = session.widget<StepPlot>();
    QCOMPARE(plot.graph(0)->data()->size(), 5);
    QCOMPARE(plot.graph(1)->data()->size(), 5);
    QCOMPARE(plot.graph(0)->name(), QString("yours (off)"));
    QCOMPARE(plot.graph(1)->name(), QString("full"));
    QStringList shades;
    for (int index = 0; index < plot.itemCount(); ++index) {
        if (const auto* text = qobject_cast<QCPItemText*>(plot.item(index))) {
            shades.push_back(text->text());
        }
    }
    QCOMPARE(shades, (QStringList { "forward", "backward", "update" }));
    QCOMPARE(PlanSession::plain(plot.textAt(3.2)),
        QString("yours (off): attention of layer 0, backward: 600 MiB, then 1.00 MiB\n"
                "full: attention of layer 0, backward: 150 MiB, then 1.00 MiB"));
    QCOMPARE(plot.textAt(9), QString());
    const QString sentence = PlanSession::plain(session.widget<StepPanel>().sentence());
    QCOMPARE(sentence,
        QString("With gradient_checkpointing full the peak is 450 MiB less, and a step takes 33.0 % longer."));
    auto& kinds = *session.widget<StepPanel>().findChild<QComboBox*>();
    kinds.setFocus();
    QSignalSpy done(session.page.get(), &PlanPage::planned);
    QTest::keyClick(&kinds, Qt::Key_End); // the longest segments
    QVERIFY(done.wait(patience));
    QCOMPARE(plot.graph(1)->name(), QString("full, every 8 layers"));
    QVERIFY(session.widget<StepPanel>().sentence().contains("full, every 8 layers"));
}

void TestPlanPage::aPeakOutsideTheStepIsNamed()
{
    const PlanSession session({ [](const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail) {
        return planned(choice, extents, detail).map([](MemoryPlan plan) {
            plan.peakAllocated += 50 * mebibyte;
            plan.place = { 2, "mlp", "evaluation" };
            return plan;
        });
    } });
    session.show();
    const QString sentence = PlanSession::plain(session.widget<StepPanel>().sentence());
    QVERIFY2(sentence.endsWith("No step reaches the run's peak of 650 MiB: it is in the evaluation (mlp of layer 2)."),
        qPrintable(sentence));
}

void TestPlanPage::eachChangeHasItsPrice()
{
    PlanSession session;
    session.show();
    auto& table = session.widget<WhyTable>();
    QStringList lines;
    for (int row = 0; row < table.rowCount(); ++row) {
        QStringList line;
        for (int column = 0; column < table.columnCount(); ++column) {
            line.push_back(table.item(row, column)->text());
        }
        lines.push_back(PlanSession::plain(line.join(" | ")));
    }
    // What changes neither memory nor time (lora_rank, say) is not listed.
    QCOMPARE(lines,
        QStringList({ QStringLiteral("gradient_checkpointing selective | \u2212450 MiB | +33.0 % | \u2713 fits"),
            QStringLiteral("gradient_checkpointing full | \u2212450 MiB | +33.0 % | \u2713 fits"),
            QStringLiteral("gradient_checkpointing offload | \u2212450 MiB | +33.0 % | \u2713 fits"),
            QStringLiteral("batch_size 2 with accumulation_steps 8 | \u2212300 MiB | +71.4 % | \u2713 fits"),
            QStringLiteral("compute bf16 | \u2212300 MiB | same | \u2713 fits"),
            QStringLiteral("max_length 152 | \u2212296 MiB | same | \u2713 fits"),
            QStringLiteral("batch_size 8 with accumulation_steps 2 | +600 MiB | \u221235.7 % | \u2715 too big") }));
    session.click(table, 4, 0);
    QCOMPARE(session.model.choice().values.compute, NumberType::bf16);
    QCOMPARE(session.model.undoStack()->undoText(), QString("compute bf16"));
}

void TestPlanPage::modelsAreListedOnceTheirTabIsOpen()
{
    const PlanSession session({ .plan = planned, .shape = plannedShape });
    session.show();
    auto& panel = session.widget<ShapesPanel>();
    auto& table = *panel.findChild<QTableWidget*>();
    QCOMPARE(table.rowCount(), 0);
    QSignalSpy done(&panel, &ShapesPanel::planned);
    auto& tabs = session.widget<QTabBar>();
    QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
    QVERIFY(done.wait(patience));
    QCOMPARE(table.rowCount(), static_cast<int>(modelShapes().size()));
    // 30 layers: 400 MiB leave room for 12 thousand tokens with LoRA, all weights for 2 thousand.
    QCOMPARE(table.item(0, 0)->text(), QString("SmolLM2-135M"));
    QCOMPARE(table.item(0, 1)->text(), QString("135 M"));
    QCOMPARE(table.item(0, 2)->text(),
        QStringLiteral("8,192 tokens, all it reads\n16 at once \u00b7 512 tokens/s \u00b7 16 min 40 s"));
    QCOMPARE(table.item(0, 3)->text(), table.item(0, 2)->text());
    QCOMPARE(table.item(0, 4)->text(),
        QStringLiteral("up to 2,368 tokens\n4 at once \u00b7 512 tokens/s \u00b7 16 min 40 s"));
    QCOMPARE(table.item(0, 5)->text(),
        QStringLiteral("up to 6,272 tokens\n8 at once \u00b7 512 tokens/s \u00b7 33 min 20 s"));
}

void TestPlanPage::refusalsAreSaid()
{
    const PlanSession session({ [](const ConfigChoice&, const RunExtents&, PlanDetail) -> Result<MemoryPlan> {
                                   return failure("There is no model at this place.");
                               },
        {} });
    session.show();
    QStringList texts;
    for (const auto* label : session.page->findChildren<QLabel*>()) {
        texts.push_back(label->text());
    }
    QVERIFY(texts.join('\n').contains("There is no model at this place."));
    QVERIFY(session.widget<BestPanel>().sentence().startsWith("Nothing could be planned"));
}

void TestPlanPage::rowsMustBeCounted()
{
    PlanSession session;
    session.show();
    session.model.set("dataset", { session.folder.filePath(QStringLiteral("gone.jsonl")).toStdString() });
    session.analysis.setConfig(session.model.choice().values);
    QTRY_COMPARE_WITH_TIMEOUT(session.analysis.state(), DataAnalysis::State::failed, patience);
    QCOMPARE(session.widget<FitTable>().rowCount(), 0);
    QCOMPARE(session.widget<BestPanel>().sentence(), QString());
}

TUNEBENCH_UI_TEST(TestPlanPage)
#include "tst_plan_page.moc"
