#include "tests/ui/token_rows.h"
#include "tests/ui/ui_test.h"
#include "ui/data/cut_panel.h"
#include "ui/data/data_page.h"
#include "ui/data/length_plot.h"
#include "ui/data/preview_table.h"
#include "ui/data/refusal_tree.h"
#include "ui/data/row_panel.h"
#include "ui/data/row_text.h"
#include "ui/data/waste_table.h"
#include "ui/form/config_model.h"

#include <QCheckBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include <atomic>
#include <nlohmann/json.hpp>

using namespace tunebench;

namespace {

/// 90 rows of 10 tokens (4 learned), 6 of 30 (10 learned) and, at the lines 41 and 98, two that are refused.
QByteArray someRows()
{
    return tokenRow(10, 4).repeated(40) + tokenRow(7, 0) + tokenRow(10, 4).repeated(50) + tokenRow(30, 10).repeated(6)
        + "{\"input_ids\": [1, 2\n";
}

/// The page over real rows of tokens and a plan of one byte a token of max_length.
struct Opened {
    QTemporaryDir folder;
    ConfigModel model;
    DataAnalysis analysis;
    std::atomic<int> plans { 0 };
    std::unique_ptr<DataPage> page;

    Opened()
    {
        const QString rows = folder.filePath(QStringLiteral("rows.jsonl"));
        writeFile(rows, someRows());
        model.edit("model", folder.filePath(QStringLiteral("no-model")).toStdString());
        model.edit("dataset", rows.toStdString());
        model.edit("max_length", 24);
        model.edit("memory_limit", 1024);
        model.undoStack()->clear();
        QObject::connect(
            &model, &ConfigModel::changed, &analysis, [this] { analysis.setConfig(model.choice().values); });
        page = std::make_unique<DataPage>(model, analysis,
            RunPlanner { [this](const ConfigChoice& choice, const RunExtents&, PlanDetail) -> Result<MemoryPlan> {
                            ++plans;
                            return MemoryPlan { .peakAllocated = choice.values.maxLength * 64 };
                        },
                {} },
            nullptr);
        page->resize(1300, 850);
        page->show();
        page->activateWindow();
    }

    bool isReady() const { return analysis.state() == DataAnalysis::State::done; }

    template <class Widget> Widget* find() const { return page->findChild<Widget*>(); }

    QString cut(size_t effect, Truncation kind) const { return find<CutPanel>()->table()->text(effect, kind); }

    QPushButton* button(const QString& text) const
    {
        for (auto* candidate : page->findChildren<QPushButton*>()) {
            if (candidate->text().remove(QLatin1Char('&')).startsWith(text)) {
                return candidate;
            }
        }
        return nullptr;
    }

    QString row() const { return find<RowText>()->toPlainText(); }
    int number() const { return find<RowPanel>()->findChild<QSpinBox*>()->value(); }

    QPoint at(double tokens) const
    {
        auto* plot = find<LengthPlot>();
        plot->replot(QCustomPlot::rpImmediateRefresh);
        return { qRound(plot->xAxis->coordToPixel(tokens)), plot->axisRect()->rect().center().y() };
    }
};

} // namespace

class TestDataPage : public QObject {
    Q_OBJECT
private slots:
    void theFirstRowsStandInForTheRest();
    void showsWhatAMaxLengthCuts();
    void aDragIsOneStepOfUndo();
    void theSuggestionIsAButton();
    void theTableOfWasteMarksTheOptionsOwn();
    void goesToCutAnswersAndRefusedRows();
    void activatingARefusedRowShowsIt();
    void rowsFollowTheOptions();
    void failedPlansAreSaid();
    void everythingIsReachedByKeyboard();
    void looksRightInTheDark();
};

void TestDataPage::theFirstRowsStandInForTheRest()
{
    Opened opened;
    QTRY_VERIFY(opened.analysis.preview() != nullptr);
    opened.analysis.stop();
    const auto* table = opened.find<PreviewTable>();
    QVERIFY(table->isVisible() && !opened.find<LengthPlot>()->isVisible());
    QCOMPARE(table->rowCount(), 30);
    QCOMPARE(table->horizontalHeaderItem(0)->text(), QStringLiteral("input_ids"));
    QCOMPARE(table->item(0, 0)->text(), QStringLiteral("[1,2,3,4,5,6,7,8,9,10]"));
    QCOMPARE(table->verticalHeaderItem(29)->text(), QStringLiteral("line 30"));
    opened.analysis.again();
    QTRY_VERIFY(opened.isReady());
    QVERIFY(!table->isVisible() && opened.find<LengthPlot>()->isVisible());
}

void TestDataPage::showsWhatAMaxLengthCuts()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    QTRY_COMPARE(opened.cut(0, Truncation::right), QStringLiteral("6 (6.3\u00a0%)"));
    QCOMPARE(opened.cut(1, Truncation::right), QStringLiteral("36 (3.3\u00a0%)"));
    QCOMPARE(opened.cut(2, Truncation::right), QStringLiteral("6 (6.3\u00a0%)"));
    QCOMPARE(opened.cut(3, Truncation::right), QStringLiteral("0"));
    QCOMPARE(opened.cut(2, Truncation::left), QStringLiteral("0"));
    QCOMPARE(opened.cut(3, Truncation::drop), QStringLiteral("6 (6.3\u00a0%)"));
    QTRY_VERIFY(opened.find<CutPanel>()->peakText().contains(QStringLiteral("1.50\u00a0KiB, more than the")));
    // While the line is on its way the options stay as they are.
    QTest::keyPress(opened.find<LengthPlot>(), Qt::Key_Left);
    QTRY_COMPARE(opened.cut(3, Truncation::right), QStringLiteral("6 (6.3\u00a0%)"));
    QTRY_VERIFY(opened.find<CutPanel>()->peakText().contains(QStringLiteral("1.00\u00a0KiB of 1.00\u00a0KiB")));
    QCOMPARE(opened.model.choice().values.maxLength, 24);
    QTest::keyRelease(opened.find<LengthPlot>(), Qt::Key_Left);
    QCOMPARE(opened.model.choice().values.maxLength, 16);
}

void TestDataPage::aDragIsOneStepOfUndo()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    auto* plot = opened.find<LengthPlot>();
    QTest::mousePress(plot, Qt::LeftButton, {}, opened.at(24));
    for (const int tokens : { 22, 20, 18, 16 }) {
        QTest::mouseMove(plot, opened.at(tokens));
    }
    QTest::mouseRelease(plot, Qt::LeftButton, {}, opened.at(16));
    QCOMPARE(opened.model.choice().values.maxLength, 16);
    QTest::keyClick(plot, Qt::Key_Left);
    QCOMPARE(opened.model.choice().values.maxLength, 8);
    opened.model.undoStack()->undo();
    QCOMPARE(opened.model.choice().values.maxLength, 16);
    QCOMPARE(plot->maxLength(), 16);
    opened.model.undoStack()->undo();
    QCOMPARE(opened.model.choice().values.maxLength, 24);
    QVERIFY(!opened.model.undoStack()->canUndo());
}

void TestDataPage::theSuggestionIsAButton()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    QPushButton* button = opened.button(QStringLiteral("Use the suggestion (32)"));
    QVERIFY(button != nullptr && button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(opened.model.choice().values.maxLength, 32);
    QVERIFY(!button->isEnabled());
    QTRY_COMPARE(opened.cut(0, Truncation::right), QStringLiteral("0"));
}

void TestDataPage::theTableOfWasteMarksTheOptionsOwn()
{
    Opened opened;
    opened.model.edit("batch_size", 3);
    opened.model.edit("eval_share", 0);
    opened.model.edit("order", "sequential");
    opened.model.edit("max_length", 32);
    QTRY_VERIFY(opened.isReady());
    const QTableWidget* table = opened.find<WasteTable>()->table();
    QTRY_COMPARE(table->rowCount(), 6);
    QCOMPARE(table->verticalHeaderItem(2)->text(), QStringLiteral("batch_size 3"));
    // 90 rows of 10 and then 6 of 30 fill batches of 3 without a gap.
    QCOMPARE(table->item(2, 2)->text(), QStringLiteral("0\u00a0% (yours)"));
    QVERIFY(table->item(2, 2)->font().bold());
    // In fours there is one batch of two rows of 10 and two of 30: 40 slots of 1,120 are empty.
    QCOMPARE(table->item(3, 2)->text(), QStringLiteral("3.6\u00a0%"));
    QVERIFY(opened.find<WasteTable>()->sentence().contains(QStringLiteral("nothing is wasted")));
    opened.model.edit("padding", "longest");
    QTRY_VERIFY(opened.find<WasteTable>()->sentence().contains(QStringLiteral("0\u00a0% of the slots")));
}

void TestDataPage::goesToCutAnswersAndRefusedRows()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    QTRY_VERIFY(opened.row().startsWith(QStringLiteral("1 2 3")));
    QTest::mouseClick(opened.button(QStringLiteral("Next cut")), Qt::LeftButton);
    QTRY_COMPARE(opened.number(), 92);
    QTest::mouseClick(opened.button(QStringLiteral("Next cut")), Qt::LeftButton);
    QTRY_COMPARE(opened.number(), 93);
    QTest::mouseClick(opened.button(QStringLiteral("Next refused")), Qt::LeftButton);
    QTRY_COMPARE(opened.number(), 98);
    QTRY_VERIFY(opened.row().contains(QStringLiteral("left out")));
    QTest::mouseClick(opened.button(QStringLiteral("Next refused")), Qt::LeftButton);
    QTRY_COMPARE(opened.number(), 41);
    opened.page->showCutAnswers();
    QTRY_COMPARE(opened.number(), 92);
}

void TestDataPage::activatingARefusedRowShowsIt()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    auto* tree = opened.find<RefusalTree>();
    QVERIFY(tree->isVisible());
    QCOMPARE(tree->topLevelItemCount(), 2);
    tree->setFocus();
    for (int top = 0; top < 2; ++top) {
        const QTreeWidgetItem* reason = tree->topLevelItem(top);
        QCOMPARE(reason->text(1), QStringLiteral("1"));
        tree->setCurrentItem(reason->child(0));
        QTest::keyClick(tree, Qt::Key_Return);
        QTRY_COMPARE(opened.number(), reason->text(0).contains(QStringLiteral("supervised")) ? 41 : 98);
    }
}

void TestDataPage::rowsFollowTheOptions()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    auto* number = opened.find<RowPanel>()->findChild<QSpinBox*>();
    number->setFocus();
    number->selectAll();
    QTest::keyClicks(number, QStringLiteral("95"));
    QTest::keyClick(number, Qt::Key_Return);
    QTRY_VERIFY(opened.row().trimmed().endsWith(QStringLiteral("30·")) || opened.row().contains(QStringLiteral("30")));
    const auto isStruck = [&opened](int tokenOfRow) {
        auto* text = opened.find<RowText>();
        QTextCursor cursor = text->document()->find(QString::number(tokenOfRow));
        return cursor.charFormat().fontStrikeOut();
    };
    QTRY_VERIFY(isStruck(25));
    QVERIFY(!isStruck(24));
    opened.model.edit("truncation", "left");
    QTRY_VERIFY(!isStruck(25));
    opened.model.edit("max_length", 64);
    QTRY_VERIFY(!isStruck(1));
    auto* boundaries = opened.find<RowPanel>()->findChild<QCheckBox*>();
    QTest::keyClick(boundaries, Qt::Key_Space);
    QVERIFY(opened.row().contains(QStringLiteral("·")));
}

void TestDataPage::failedPlansAreSaid()
{
    ConfigModel model;
    DataAnalysis analysis;
    QTemporaryDir folder;
    const QString rows = folder.filePath(QStringLiteral("rows.jsonl"));
    writeFile(rows, someRows());
    model.edit("model", folder.filePath(QStringLiteral("no-model")).toStdString());
    model.edit("dataset", rows.toStdString());
    DataPage page(model, analysis,
        RunPlanner { [](const ConfigChoice&, const RunExtents&, PlanDetail) -> Result<MemoryPlan> {
                        return failure("There is no such model.");
                    },
            {} },
        nullptr);
    page.show();
    QTRY_VERIFY(page.findChild<CutPanel*>()->peakText().contains(QStringLiteral("There is no such model.")));
}

void TestDataPage::everythingIsReachedByKeyboard()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    QVERIFY(QTest::qWaitForWindowActive(opened.page.get()));
    opened.page->setFocus();
    QCOMPARE(QApplication::focusWidget(), opened.find<LengthPlot>());
    QSet<QWidget*> reached;
    for (int press = 0; press < 40; ++press) {
        reached.insert(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    for (QWidget* wanted : std::initializer_list<QWidget*> { opened.find<LengthPlot>(),
             opened.button(QStringLiteral("Use the suggestion")), opened.button(QStringLiteral("Next cut")),
             opened.button(QStringLiteral("Next refused")), opened.find<RefusalTree>(), opened.find<RowText>(),
             opened.find<RowPanel>()->findChild<QSpinBox*>(), opened.find<RowPanel>()->findChild<QCheckBox*>() }) {
        QVERIFY2(reached.contains(wanted), wanted->metaObject()->className());
    }
}

void TestDataPage::looksRightInTheDark()
{
    Opened opened;
    QTRY_VERIFY(opened.isReady());
    applyTheme(Theme::dark);
    QCoreApplication::processEvents();
    const QImage picture = opened.page->grab().toImage();
    qint64 bright = 0;
    for (int y = 0; y < picture.height(); y += 3) {
        for (int x = 0; x < picture.width(); x += 3) {
            bright += picture.pixelColor(x, y).lightness() > 200 ? 1 : 0;
        }
    }
    QVERIFY(bright * 20 < qint64(picture.width()) * picture.height() / 9);
    applyTheme(Theme::light);
}

TUNEBENCH_UI_TEST(TestDataPage)
#include "tst_data_page.moc"
