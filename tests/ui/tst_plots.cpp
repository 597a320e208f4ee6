#include "tests/ui/scripted_run.h"
#include "tests/ui/ui_test.h"
#include "ui/plots/loss_plot.h"
#include "ui/plots/memory_plot.h"
#include "ui/plots/overlay_plot.h"
#include "ui/plots/step_plots.h"

using namespace tunebench;

namespace {

QImage drawn(QCustomPlot& plot)
{
    plot.replot(QCustomPlot::rpImmediateRefresh);
    return plot.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

int differingPixels(const QImage& a, const QImage& b)
{
    int count = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            count += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
        }
    }
    return count;
}

/// How many pixels a curve changes in the picture.
int pixelsOf(QCustomPlot& plot, QCPGraph* curve)
{
    const QImage with = drawn(plot);
    curve->setVisible(false);
    const QImage without = drawn(plot);
    curve->setVisible(true);
    return differingPixels(with, without);
}

QCPGraph* curveNamed(const QCustomPlot& plot, const QString& name)
{
    for (int index = 0; index < plot.graphCount(); ++index) {
        if (plot.graph(index)->name() == name) {
            return plot.graph(index);
        }
    }
    return nullptr;
}

std::vector<StepMetrics> someSteps(int64_t count)
{
    std::vector<StepMetrics> steps;
    for (int64_t step = 1; step <= count; ++step) {
        steps.push_back(someStep(step));
    }
    return steps;
}

template <class PlotType> struct Shown {
    PlotType plot { nullptr };
    Shown()
    {
        plot.resize(600, 320);
        plot.show();
    }
};

} // namespace

class TestPlots : public QObject {
    Q_OBJECT
private slots:
    void lossShowsEveryPart();
    void aLossThatIsNotFiniteIsAGap();
    void ratesAndSpeedAreDrawn();
    void memoryShowsWhatIsKnown();
    void theLimitIsALine();
    void manyStepsStayCheap();
    void zoomHoldsUntilDoubleClick();
    void colours_data();
    void colours();
    void overlayLaysRunsOverOneAnother();
    void overlayKeys();
    void seriesColoursDiffer();
};

void TestPlots::lossShowsEveryPart()
{
    Shown<LossPlot> shown;
    LossPlot& plot = shown.plot;
    plot.add(EvalMetrics { .step = 0, .loss = 2.1, .tokens = 100, .seconds = 1 });
    plot.add(someSteps(60));
    plot.add(EvalMetrics { .step = 60, .loss = 1.4, .tokens = 100, .seconds = 1 });
    for (const char* name : { "raw", "smoothed", "noise", "evaluation" }) {
        QCPGraph* curve = curveNamed(plot, QLatin1String(name));
        QVERIFY(curve != nullptr);
        QVERIFY2(pixelsOf(plot, curve) > 30, name);
        QVERIFY2(curve->keyAxis() == plot.xAxis && curve->valueAxis() == plot.yAxis, name);
    }
    QCOMPARE(curveNamed(plot, QStringLiteral("evaluation"))->data()->size(), 2);
    QVERIFY(plot.xAxis->range().contains(0) && plot.xAxis->range().contains(60));
    plot.clear();
    QCOMPARE(curveNamed(plot, QStringLiteral("raw"))->data()->size(), 0);
}

void TestPlots::aLossThatIsNotFiniteIsAGap()
{
    Shown<LossPlot> shown;
    auto steps = someSteps(10);
    steps[4].loss.reset();
    shown.plot.add(steps);
    const auto raw = curveNamed(shown.plot, QStringLiteral("raw"))->data();
    QCOMPARE(raw->size(), 10);
    QVERIFY(std::isnan(raw->at(4)->value));
    QCOMPARE(curveNamed(shown.plot, QStringLiteral("smoothed"))->data()->size(), 9);
    QVERIFY(shown.plot.yAxis->range().lower > 0);
}

void TestPlots::ratesAndSpeedAreDrawn()
{
    Shown<RatePlot> rates;
    rates.plot.add(someSteps(50));
    for (int index = 0; index < rates.plot.graphCount(); ++index) {
        QVERIFY(pixelsOf(rates.plot, rates.plot.graph(index)) > 30);
    }
    QVERIFY(rates.plot.graph(0)->valueAxis() != rates.plot.graph(1)->valueAxis());
    Shown<SpeedPlot> speed;
    speed.plot.add(someSteps(50));
    QVERIFY(pixelsOf(speed.plot, speed.plot.graph(0)) > 30);
    QCOMPARE(speed.plot.yAxis->range().lower, 0.0);
}

void TestPlots::memoryShowsWhatIsKnown()
{
    Shown<MemoryPlot> shown;
    shown.plot.add(someSteps(20));
    QVERIFY(pixelsOf(shown.plot, curveNamed(shown.plot, QStringLiteral("allocated"))) > 30);
    QVERIFY(pixelsOf(shown.plot, curveNamed(shown.plot, QStringLiteral("peak"))) > 30);
    QCOMPARE(shown.plot.legend->itemCount(), 2);
    StepMetrics step = someStep(21);
    step.reserved = int64_t { 1 } << 30;
    step.deviceUsed = int64_t { 2 } << 30;
    shown.plot.add(std::vector { step });
    QCOMPARE(shown.plot.legend->itemCount(), 4);
    QVERIFY(shown.plot.yAxis->range().contains(2));
}

void TestPlots::theLimitIsALine()
{
    Shown<MemoryPlot> shown;
    shown.plot.add(someSteps(20));
    const QImage without = drawn(shown.plot);
    shown.plot.setLimit(int64_t { 3 } << 29, QStringLiteral("limit"));
    QVERIFY(shown.plot.yAxis->range().contains(1.5));
    QVERIFY(differingPixels(without, drawn(shown.plot)) > 100);
    // One far above the curves is named and does not flatten them.
    shown.plot.setLimit(int64_t { 64 } << 30, QStringLiteral("this machine"));
    QVERIFY(shown.plot.yAxis->range().upper < 4);
}

void TestPlots::manyStepsStayCheap()
{
    Shown<LossPlot> shown;
    const auto steps = someSteps(100000);
    shown.plot.add(steps);
    shown.plot.replot(QCustomPlot::rpImmediateRefresh);
    QVERIFY2(shown.plot.replotTime() < 500, qPrintable(QString::number(shown.plot.replotTime())));
}

void TestPlots::zoomHoldsUntilDoubleClick()
{
    Shown<SpeedPlot> shown;
    shown.plot.add(someSteps(50));
    const QPoint middle = shown.plot.rect().center();
    QWheelEvent wheel(
        middle, shown.plot.mapToGlobal(middle), {}, { 0, 240 }, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&shown.plot, &wheel);
    const QCPRange zoomed = shown.plot.xAxis->range();
    QVERIFY(zoomed.size() < 49);
    shown.plot.add(std::vector { someStep(51) });
    QCOMPARE(shown.plot.xAxis->range().size(), zoomed.size());
    QTest::mouseDClick(&shown.plot, Qt::LeftButton, {}, middle);
    QVERIFY(shown.plot.xAxis->range().contains(1) && shown.plot.xAxis->range().contains(51));
}

void TestPlots::colours_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestPlots::colours()
{
    QFETCH(bool, dark);
    Shown<LossPlot> shown;
    shown.plot.add(someSteps(50));
    applyTheme(dark ? Theme::dark : Theme::light);
    QCoreApplication::processEvents();
    const QColor background = drawn(shown.plot).pixelColor(1, shown.plot.height() - 2);
    QCOMPARE(background, QApplication::palette().color(QPalette::Base));
    QCOMPARE(background.lightness() < 128, dark);
    QVERIFY((shown.plot.xAxis->tickLabelColor().lightness() > 128) == dark);
    QVERIFY((shown.plot.legend->textColor().lightness() > 128) == dark);
    applyTheme(Theme::light);
}

void TestPlots::overlayLaysRunsOverOneAnother()
{
    Shown<OverlayPlot> shown;
    auto a = std::make_shared<RunCurves>();
    a->steps = someSteps(40);
    auto b = std::make_shared<RunCurves>();
    b->steps = someSteps(80);
    b->evaluations = { EvalMetrics { .step = 0, .loss = 2.0, .tokens = 1, .seconds = 1 },
        EvalMetrics { .step = 80, .loss = 1.3, .tokens = 1, .seconds = 1 } };
    shown.plot.showRuns({ { "first", 0, a }, { "second", 1, b } }, OverlayValue::loss, OverlayKey::step);
    QCOMPARE(shown.plot.legend->itemCount(), 2);
    QVERIFY(shown.plot.xAxis->range().contains(80));
    for (int index = 0; index < shown.plot.graphCount(); ++index) {
        if (!shown.plot.graph(index)->data()->isEmpty()) {
            QVERIFY(pixelsOf(shown.plot, shown.plot.graph(index)) > 10);
        }
    }
    shown.plot.showRuns({ { "second", 1, b } }, OverlayValue::evalLoss, OverlayKey::tokens);
    QCOMPARE(shown.plot.graphCount(), 1);
    QCOMPARE(shown.plot.graph(0)->data()->at(1)->key, 80000.0);
    QCOMPARE(shown.plot.graph(0)->pen().color(), seriesColour(QApplication::palette(), 1));
    shown.plot.showRuns({}, OverlayValue::loss, OverlayKey::step);
    QCOMPARE(shown.plot.graphCount(), 0);
}

void TestPlots::overlayKeys()
{
    Shown<OverlayPlot> shown;
    auto run = std::make_shared<RunCurves>();
    run->steps = someSteps(10);
    const std::vector<std::pair<OverlayKey, double>> ends { { OverlayKey::step, 10 }, { OverlayKey::tokens, 10000 },
        { OverlayKey::seconds, 5 }, { OverlayKey::epoch, 0.1 } };
    for (const auto& [key, end] : ends) {
        shown.plot.showRuns({ { "run", 0, run } }, OverlayValue::speed, key);
        QCOMPARE(shown.plot.graph(0)->data()->at(9)->key, end);
    }
}

void TestPlots::seriesColoursDiffer()
{
    for (const Theme theme : { Theme::dark, Theme::light }) {
        applyTheme(theme);
        std::set<QRgb> colours;
        for (int index = 0; index < 8; ++index) {
            colours.insert(seriesColour(QApplication::palette(), index).rgb());
        }
        QCOMPARE(colours.size(), size_t { 8 });
    }
}

TUNEBENCH_UI_TEST(TestPlots)
#include "tst_plots.moc"
