#include "core/config/cards.h"
#include "tests/ui/plan_session.h"
#include "ui/plan/best_panel.h"
#include "ui/plan/measure_panel.h"
#include "ui/plan/shapes_panel.h"
#include "ui/plan/why_table.h"

#include <QPushButton>
#include <QTabBar>
#include <QThread>

#include <atomic>
#include <utility>

using namespace tunebench;

/// Times of plans, and the measurements that they come from and are laid beside.
class TestPlanTimes : public QObject {
    Q_OBJECT
private slots:
    void planAndMeasurementStandSideBySide();
    void timesAppearOnceTheDeviceIsMeasured();
    void cardsThatAreNotHereHaveTheirBestTimes();
    void bestTimesAreMarked();
    void measuringCanBeStopped();
};

void TestPlanTimes::planAndMeasurementStandSideBySide()
{
    const ProbeSource probe = [](const ConfigChoice& choice, const std::stop_token&) -> Result<Probe> {
        const bool recomputes = choice.values.gradientCheckpointing == GradientCheckpointing::full;
        return Probe { .plannedPeak = 600 * mebibyte / (recomputes ? 4 : 1),
            .measuredPeak = 600 * mebibyte / (recomputes ? 4 : 1) + (recomputes ? mebibyte : 0),
            .plannedSeconds = 2,
            .measuredSeconds = 2.5,
            .spread = 0.04,
            .tokensPerSecond = recomputes ? 300.0 : 400.0 };
    };
    const PlanSession session({ .plan = planned, .probe = probe });
    session.show();
    auto& panel = session.widget<MeasurePanel>();
    auto& beside = *panel.findChild<QComboBox*>();
    beside.setCurrentIndex(beside.findText(QStringLiteral("gradient_checkpointing full")));
    QVERIFY(beside.currentIndex() > 0);
    QSignalSpy measured(&panel, &MeasurePanel::measured);
    QSignalSpy changed(session.page.get(), &PlanPage::measuringChanged);
    QTest::mouseClick(panel.findChild<QPushButton*>(), Qt::LeftButton);
    QVERIFY(session.page->isMeasuring());
    QVERIFY(!beside.isEnabled());
    QVERIFY(measured.wait(patience));
    QCOMPARE(changed.size(), 2);
    const QString text = PlanSession::plain(panel.text());
    QVERIFY2(text.contains("600 MiB (equal to the byte)"), qPrintable(text));
    QVERIFY2(text.contains("151 MiB (1.00 MiB more)"), qPrintable(text));
    QVERIFY2(text.contains("2.50 s (spread 4.0 %)"), qPrintable(text));
    QVERIFY2(text.contains("gradient_checkpointing full beside this run:"), qPrintable(text));
    QVERIFY2(text.endsWith("worth it where memory is short, or pays for a larger batch."), qPrintable(text));
}

void TestPlanTimes::timesAppearOnceTheDeviceIsMeasured()
{
    const auto known = std::make_shared<std::atomic<bool>>(false);
    const auto plan = [known](const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail) {
        auto made = planned(choice, extents, detail);
        if (made && !*known) {
            made->secondsPerStep.reset();
            made->noTime = "The device has not been measured.";
        }
        return made;
    };
    const ProbeSource probe = [known](const ConfigChoice&, const std::stop_token&) -> Result<Probe> {
        *known = true;
        return Probe { .plannedPeak = mebibyte, .measuredPeak = mebibyte, .measuredSeconds = 1, .tokensPerSecond = 1 };
    };
    const PlanSession session({ .plan = plan, .probe = probe });
    session.show();
    auto& table = session.widget<WhyTable>();
    QCOMPARE(table.item(0, 2)->text(), QStringLiteral("\u2013"));
    QSignalSpy done(session.page.get(), &PlanPage::planned);
    auto& panel = session.widget<MeasurePanel>();
    QTest::mouseClick(panel.findChild<QPushButton*>(), Qt::LeftButton);
    QVERIFY(done.wait(patience));
    QCOMPARE(PlanSession::plain(table.item(0, 2)->text()), QStringLiteral("+33.0 %"));
    QVERIFY(panel.knowsTime());
    QVERIFY(PlanSession::plain(panel.text()).contains("equal to the byte"));
}

/// What a card can train is planned as on that card, though the run itself would be on the processor.
void TestPlanTimes::cardsThatAreNotHereHaveTheirBestTimes()
{
    const auto onCard = [](const auto& config, const auto& spec, auto extents, auto detail) {
        auto made = plannedShape(config, spec, extents, detail);
        if (namedCard(config) != nullptr) {
            made->secondsAtBest = std::exchange(made->secondsPerStep, std::nullopt);
            made->noTime = "No such card was measured.";
        }
        return made;
    };
    PlanSession session({ .plan = planned, .shape = onCard });
    session.model.set("card", "GTX 1650");
    session.show();
    auto& panel = session.widget<ShapesPanel>();
    QSignalSpy done(&panel, &ShapesPanel::planned);
    auto& tabs = session.widget<QTabBar>();
    QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
    QVERIFY(done.wait(patience));
    const QTableWidgetItem& cell = *panel.findChild<QTableWidget*>()->item(0, 2);
    QVERIFY2(cell.text().endsWith(QStringLiteral("16 at once \u00b7 at best 512 tokens/s \u00b7 16 min 40 s")),
        qPrintable(cell.text()));
    QVERIFY(cell.toolTip().contains("No such card was measured."));
}

/// The same in the grid of a run that is planned for such a card.
void TestPlanTimes::bestTimesAreMarked()
{
    const PlanSession session({ [](const ConfigChoice& choice, const RunExtents& extents, PlanDetail detail) {
                                   auto made = planned(choice, extents, detail);
                                   if (made) {
                                       made->secondsAtBest = std::exchange(made->secondsPerStep, std::nullopt);
                                       made->noTime = "No such card was measured.";
                                   }
                                   return made;
                               },
        {} });
    session.show();
    QCOMPARE(session.cell(0, 0), QStringLiteral("\u2713 32.0 MiB\n\u2265 2 min 56 s"));
    const QString help = session.widget<FitTable>().item(0, 0)->toolTip();
    QVERIFY2(PlanSession::plain(help).contains("at best 2 min 56 s for 16 rows."), qPrintable(help));
    QVERIFY(help.endsWith("No such card was measured."));
    QVERIFY(PlanSession::plain(session.widget<BestPanel>().sentence()).contains(" at best "));
    QCOMPARE(PlanSession::plain(session.widget<WhyTable>().item(0, 2)->text()), QStringLiteral("+33.0 %"));
}

void TestPlanTimes::measuringCanBeStopped()
{
    const ProbeSource probe = [](const ConfigChoice&, const std::stop_token& stop) -> Result<Probe> {
        while (!stop.stop_requested()) {
            QThread::yieldCurrentThread();
        }
        return failure("The probe was stopped.");
    };
    const PlanSession session({ .plan = planned, .probe = probe });
    session.show();
    auto& panel = session.widget<MeasurePanel>();
    auto& button = *panel.findChild<QPushButton*>();
    panel.setTraining(true);
    QVERIFY(!button.isEnabled());
    panel.setTraining(false);
    QSignalSpy measured(&panel, &MeasurePanel::measured);
    QTest::mouseClick(&button, Qt::LeftButton);
    QVERIFY(session.page->isMeasuring());
    QTest::mouseClick(&button, Qt::LeftButton);
    QVERIFY(measured.wait(patience));
    QVERIFY(!session.page->isMeasuring());
    QVERIFY(panel.text().contains("The probe was stopped."));
    QVERIFY(button.isEnabled());
}

TUNEBENCH_UI_TEST(TestPlanTimes)
#include "tst_plan_times.moc"
