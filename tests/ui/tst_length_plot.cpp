#include "tests/ui/ui_test.h"
#include "ui/data/length_plot.h"

#include <QSignalSpy>

using namespace tunebench;

namespace {

/// A plot of 900 rows of 8 to 900 tokens, on the screen.
struct Shown {
    LengthPlot plot { nullptr };

    Shown()
    {
        std::vector<RowExtent> rows;
        for (uint32_t tokens = 8; tokens <= 900; ++tokens) {
            rows.push_back({ tokens, 4, tokens - 4, tokens - 1 });
        }
        plot.setLengths(summarizeLengths(rows), lengthHistogram(rows, 100));
        plot.setMaxLength(512);
        plot.setMost(2048);
        plot.resize(900, 420);
        plot.show();
        plot.replot(QCustomPlot::rpImmediateRefresh);
    }

    QPoint at(double tokens) const
    {
        return { qRound(plot.xAxis->coordToPixel(tokens)), plot.axisRect()->rect().center().y() };
    }

    void drag(double from, double to)
    {
        QTest::mousePress(&plot, Qt::LeftButton, {}, at(from));
        QTest::mouseMove(&plot, at((from + to) / 2));
        QTest::mouseMove(&plot, at(to));
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(to));
    }

    /// The names above the plot's area.
    QList<QRectF> names() const
    {
        QList<QRectF> found;
        for (int index = 0; index < plot.itemCount(); ++index) {
            const auto* text = qobject_cast<QCPItemText*>(plot.item(index));
            if (text != nullptr && text->visible() && text->bottom->pixelPosition().y() < plot.axisRect()->top()) {
                found.push_back({ text->topLeft->pixelPosition(), text->bottomRight->pixelPosition() });
            }
        }
        return found;
    }
};

} // namespace

class TestLengthPlot : public QObject {
    Q_OBJECT
private slots:
    void theMouseMovesTheLineInStepsOfEight();
    void besideTheLineTheMouseMovesTheView();
    void keysMoveTheLine_data();
    void keysMoveTheLine();
    void aHeldKeyIsOneChange();
    void theLineStaysWithinItsBounds();
    void namesDoNotLieOverOneAnother_data();
    void namesDoNotLieOverOneAnother();
    void aLineOutOfSightIsNamedAtTheEdge();
    void barsHoldEveryRow();
    void followsTheTheme();
};

void TestLengthPlot::theMouseMovesTheLineInStepsOfEight()
{
    Shown shown;
    QSignalSpy moved(&shown.plot, &LengthPlot::maxLengthMoved);
    QSignalSpy chosen(&shown.plot, &LengthPlot::maxLengthChosen);
    shown.drag(512, 301);
    QVERIFY(moved.count() >= 2);
    for (const auto& signal : moved) {
        QCOMPARE(signal.front().toLongLong() % 8, 0);
    }
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(shown.plot.maxLength(), chosen.front().front().toLongLong());
    QVERIFY(std::abs(shown.plot.maxLength() - 301) <= 8);
}

void TestLengthPlot::besideTheLineTheMouseMovesTheView()
{
    Shown shown;
    QSignalSpy moved(&shown.plot, &LengthPlot::maxLengthMoved);
    const QCPRange before = shown.plot.xAxis->range();
    shown.drag(200, 300);
    QCOMPARE(moved.count(), 0);
    QCOMPARE(shown.plot.maxLength(), 512);
    QVERIFY(shown.plot.xAxis->range() != before);
}

void TestLengthPlot::keysMoveTheLine_data()
{
    QTest::addColumn<int>("from");
    QTest::addColumn<Qt::Key>("key");
    QTest::addColumn<int>("to");
    QTest::newRow("left") << 512 << Qt::Key_Left << 504;
    QTest::newRow("right") << 512 << Qt::Key_Right << 520;
    QTest::newRow("left to a multiple") << 509 << Qt::Key_Left << 504;
    QTest::newRow("right to a multiple") << 509 << Qt::Key_Right << 512;
    QTest::newRow("page down") << 512 << Qt::Key_PageDown << 448;
    QTest::newRow("page up") << 500 << Qt::Key_PageUp << 512;
    QTest::newRow("home") << 512 << Qt::Key_Home << 8;
    QTest::newRow("end: the longest row") << 512 << Qt::Key_End << 904;
}

void TestLengthPlot::keysMoveTheLine()
{
    QFETCH(int, from);
    QFETCH(Qt::Key, key);
    QFETCH(int, to);
    Shown shown;
    shown.plot.setMaxLength(from);
    QSignalSpy chosen(&shown.plot, &LengthPlot::maxLengthChosen);
    QTest::keyClick(&shown.plot, key);
    QCOMPARE(shown.plot.maxLength(), to);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.front().front().toInt(), to);
}

void TestLengthPlot::aHeldKeyIsOneChange()
{
    Shown shown;
    QSignalSpy moved(&shown.plot, &LengthPlot::maxLengthMoved);
    QSignalSpy chosen(&shown.plot, &LengthPlot::maxLengthChosen);
    for (int repeat = 0; repeat < 5; ++repeat) {
        QTest::keyPress(&shown.plot, Qt::Key_Left);
    }
    QCOMPARE(moved.count(), 5);
    QCOMPARE(chosen.count(), 0);
    QTest::keyRelease(&shown.plot, Qt::Key_Left);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(shown.plot.maxLength(), 472);
}

void TestLengthPlot::theLineStaysWithinItsBounds()
{
    Shown shown;
    shown.plot.setMost(600);
    QTest::keyClick(&shown.plot, Qt::Key_End);
    QCOMPARE(shown.plot.maxLength(), 600);
    QTest::keyClick(&shown.plot, Qt::Key_Home);
    QTest::keyClick(&shown.plot, Qt::Key_Left);
    QCOMPARE(shown.plot.maxLength(), 8);
}

void TestLengthPlot::namesDoNotLieOverOneAnother_data()
{
    QTest::addColumn<int>("narrow"); // rows of 100 tokens beside one of 1,000
    QTest::addColumn<int>("width");
    QTest::newRow("all at one place") << 10 << 700;
    QTest::newRow("one far away") << 1000 << 700;
    QTest::newRow("a small plot") << 30 << 320;
}

void TestLengthPlot::namesDoNotLieOverOneAnother()
{
    QFETCH(int, narrow);
    QFETCH(int, width);
    Shown shown;
    std::vector<RowExtent> rows(static_cast<size_t>(narrow), { 100, 4, 96, 99 });
    rows.push_back({ narrow > 10 ? 1000U : 101U, 4, 96, 99 });
    shown.plot.setLengths(summarizeLengths(rows), lengthHistogram(rows, 100));
    shown.plot.resize(width, 300);
    // The room for the names is known after the first drawing.
    shown.plot.replot(QCustomPlot::rpImmediateRefresh);
    shown.plot.replot(QCustomPlot::rpImmediateRefresh);
    const auto names = shown.names();
    QCOMPARE(names.size(), 6);
    for (int one = 0; one < names.size(); ++one) {
        QVERIFY(shown.plot.viewport().contains(names.at(one).toRect()));
        for (int other = one + 1; other < names.size(); ++other) {
            QVERIFY(!names.at(one).adjusted(1, 1, -1, -1).intersects(names.at(other)));
        }
    }
}

void TestLengthPlot::aLineOutOfSightIsNamedAtTheEdge()
{
    Shown shown;
    shown.plot.setMaxLength(2040);
    shown.plot.replot(QCustomPlot::rpImmediateRefresh);
    QVERIFY(shown.plot.xAxis->range().upper < 2040);
    // Its name can be taken and drawn into the plot.
    const QRect area = shown.plot.axisRect()->rect();
    const QPoint name(area.right() - 30, area.top() + 12);
    QTest::mousePress(&shown.plot, Qt::LeftButton, {}, name);
    QTest::mouseMove(&shown.plot, shown.at(600));
    QTest::mouseRelease(&shown.plot, Qt::LeftButton, {}, shown.at(600));
    QCOMPARE(shown.plot.maxLength(), 600);
}

void TestLengthPlot::barsHoldEveryRow()
{
    Shown shown;
    auto* bars = qobject_cast<QCPBars*>(shown.plot.plottable(0));
    double rows = 0;
    for (const QCPBarsData& bar : *bars->data()) {
        rows += bar.value;
    }
    QCOMPARE(rows, 893.0);
}

void TestLengthPlot::followsTheTheme()
{
    Shown shown;
    const auto corner = [&shown] {
        QCoreApplication::processEvents();
        shown.plot.replot(QCustomPlot::rpImmediateRefresh);
        return shown.plot.grab().toImage().pixelColor(2, shown.plot.height() - 3).lightness();
    };
    QVERIFY(corner() > 200);
    applyTheme(Theme::dark);
    QVERIFY(corner() < 100);
    applyTheme(Theme::light);
}

TUNEBENCH_UI_TEST(TestLengthPlot)
#include "tst_length_plot.moc"
