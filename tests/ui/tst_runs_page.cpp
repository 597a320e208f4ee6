#include "tests/ui/prepared_run.h"
#include "tests/ui/ui_test.h"
#include "ui/plots/loss_plot.h"
#include "ui/runs/answers_view.h"
#include "ui/runs/overlay_view.h"
#include "ui/runs/run_listing.h"
#include "ui/runs/runs_model.h"
#include "ui/runs/runs_page.h"

#include <QComboBox>
#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBrowser>
#include <QTreeView>

using namespace tunebench;

namespace {

/// The page over a folder of prepared runs.
struct Shelf {
    QTemporaryDir folder;
    std::filesystem::path runs = folder.path().toStdString();
    std::unique_ptr<RunsPage> page;

    void open(int expectedRuns)
    {
        page = std::make_unique<RunsPage>(runs, nullptr);
        page->resize(1100, 700);
        page->show();
        QTRY_COMPARE(page->model()->rowCount(), expectedRuns);
    }

    QString cell(const std::filesystem::path& run, int column) const
    {
        return page->model()->index(page->model()->rowOf(run), column).data().toString();
    }

    QTreeView* table() const { return page->findChild<QTreeView*>(); }

    QModelIndex viewIndex(const std::filesystem::path& run, int column) const
    {
        for (int row = 0; row < table()->model()->rowCount(); ++row) {
            if (table()->model()->index(row, 0).data().toString().toStdString() == run.filename()) {
                return table()->model()->index(row, column);
            }
        }
        return {};
    }

    void select(const std::filesystem::path& run) const
    {
        QTest::mouseClick(
            table()->viewport(), Qt::LeftButton, {}, table()->visualRect(viewIndex(run, RunsModel::state)).center());
    }

    void tick(const std::filesystem::path& run) const
    {
        table()->setCurrentIndex(viewIndex(run, 0));
        QTest::keyClick(table(), Qt::Key_Space);
    }

    QPushButton* button(const char* start) const
    {
        for (auto* candidate : page->findChildren<QPushButton*>()) {
            if (candidate->text().remove(QLatin1Char('&')).startsWith(QLatin1String(start))) {
                return candidate;
            }
        }
        return nullptr;
    }

    int lossPoints() const
    {
        const auto* plot = page->findChild<LossPlot*>();
        return plot->graph(2)->data()->size();
    }
};

} // namespace

class TestRunsPage : public QObject {
    Q_OBJECT
private slots:
    void listsEveryKindOfRun();
    void anEmptyOrMissingFolderIsFine();
    void openingShowsPlotsAndOptions();
    void followsARunThatGoesOn();
    void answersStandSideBySide();
    void tickingOverlays();
    void deletesAfterAsking();
    void aRunThatGoesOnIsNotDeleted();
    void givesItsOptionsToTheForm();
    void damagedRunsAreNamed();
};

void TestRunsPage::listsEveryKindOfRun()
{
    Shelf shelf;
    const auto finished = prepareRun(shelf.runs, "good", 30, RunState::finished);
    const auto crashed = prepareRun(shelf.runs, "crashed", 12, RunState::running);
    const auto failed = prepareRun(shelf.runs, "failed", 1, RunState::failed);
    shelf.open(3);
    QCOMPARE(shelf.cell(finished, RunsModel::state), QStringLiteral("finished"));
    QCOMPARE(shelf.cell(crashed, RunsModel::state), QStringLiteral("interrupted"));
    QCOMPARE(shelf.cell(failed, RunsModel::state), QStringLiteral("failed"));
    QCOMPARE(shelf.cell(finished, RunsModel::evalLoss), QStringLiteral("2.1000 → 1.4000"));
    QCOMPARE(shelf.cell(finished, RunsModel::peak), QStringLiteral("900\u00a0MiB"));
    QCOMPARE(shelf.cell(finished, RunsModel::speed), QStringLiteral("2,000"));
}

void TestRunsPage::anEmptyOrMissingFolderIsFine()
{
    Shelf shelf;
    shelf.runs /= "not yet";
    QSignalSpy listed(new RunListing(shelf.runs, this), &RunListing::listed);
    shelf.open(0);
    QVERIFY(!shelf.button("Delete")->isEnabled());
    const auto run = prepareRun(shelf.runs, "first", 3, RunState::finished);
    shelf.page->listing()->refresh();
    QTRY_COMPARE(shelf.page->model()->rowCount(), 1);
}

void TestRunsPage::openingShowsPlotsAndOptions()
{
    Shelf shelf;
    RunConfig config;
    config.batchSize = 17;
    const auto a = prepareRun(shelf.runs, "a", 30, RunState::finished);
    const auto b = prepareRun(shelf.runs, "b", 50, RunState::finished, config);
    shelf.open(2);
    shelf.select(a);
    QTRY_COMPARE(shelf.lossPoints(), 30);
    shelf.select(b);
    QTRY_COMPARE(shelf.lossPoints(), 50);
    const auto* table = shelf.page->findChild<QTableWidget*>();
    const auto found = table->findItems(QStringLiteral("17"), Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    QVERIFY(found.front()->font().bold());
}

void TestRunsPage::followsARunThatGoesOn()
{
    Shelf shelf;
    auto folder = RunFolder::create(shelf.runs, "live", {});
    QVERIFY(folder);
    QVERIFY(folder->append(someStep(1)));
    shelf.open(1);
    QCOMPARE(shelf.cell(folder->path(), RunsModel::state), QStringLiteral("running"));
    QTRY_COMPARE(shelf.lossPoints(), 1);
    QVERIFY(folder->append(someStep(2)));
    shelf.page->listing()->refresh();
    QTRY_COMPARE(shelf.lossPoints(), 2);
}

void TestRunsPage::answersStandSideBySide()
{
    Shelf shelf;
    const auto quiet = prepareRun(shelf.runs, "quiet", 3, RunState::finished);
    const auto run = prepareRun(shelf.runs, "asked", 30, RunState::finished);
    auto folder = RunFolder::reopen(run);
    for (const int64_t step : { 0, 10, 20 }) {
        for (const char* prompt : { "Why, <b>you</b>?", "How?" }) {
            AnswerMetrics answer { .step = step, .prompt = prompt };
            answer.text = std::string(prompt).substr(0, 3) + " at " + std::to_string(step) + "\nand <so> on";
            answer.note = step == 10 ? "cut at 128 tokens" : "";
            QVERIFY(folder->append(answer).has_value());
        }
    }
    shelf.open(2);
    auto* tabs = shelf.page->findChild<QTabWidget*>();
    auto* view = shelf.page->findChild<AnswersView*>();
    const auto text = [view] { return view->findChild<QTextBrowser*>()->toPlainText(); };
    shelf.select(run);
    QTRY_VERIFY(tabs->isTabVisible(tabs->indexOf(view)));
    QVERIFY(text().contains(QStringLiteral("Why, <b>you</b>?")) && text().contains(QStringLiteral("and <so> on")));
    QVERIFY(text().contains(QStringLiteral("Why at 0")) && text().contains(QStringLiteral("How at 20")));
    QVERIFY(!text().contains(QStringLiteral("at 10")));
    tabs->setCurrentWidget(view);
    const auto lists = view->findChildren<QComboBox*>();
    QCOMPARE(lists.size(), 2);
    QTest::keyClick(lists.front(), Qt::Key_Down);
    QVERIFY(text().contains(QStringLiteral("Why at 10")) && !text().contains(QStringLiteral("Why at 0")));
    QVERIFY(text().contains(QStringLiteral("cut at 128 tokens")));

    const std::vector<AnswerMetrics> more { AnswerMetrics { .step = 10, .prompt = "How?" },
        AnswerMetrics { .step = 40, .prompt = "How?" } };
    view->setAnswers(more); // the left one stays, the right one follows the newest
    QCOMPARE(lists.front()->currentData().toInt(), 10);
    QCOMPARE(lists.back()->currentData().toInt(), 40);
    shelf.select(quiet);
    QTRY_VERIFY(!tabs->isTabVisible(tabs->indexOf(view)));
}

void TestRunsPage::tickingOverlays()
{
    Shelf shelf;
    const auto a = prepareRun(shelf.runs, "a", 30, RunState::finished);
    const auto b = prepareRun(shelf.runs, "b", 50, RunState::stopped);
    shelf.open(2);
    shelf.tick(a);
    shelf.tick(b);
    QCOMPARE(shelf.page->model()->ticked().size(), size_t { 2 });
    auto* plot = shelf.page->findChild<OverlayView*>()->plot();
    QTRY_COMPARE(plot->legend->itemCount(), 2);
    QVERIFY(plot->isVisible());
    QVERIFY(shelf.page->model()->ticked()[0].colour != shelf.page->model()->ticked()[1].colour);
    shelf.tick(a);
    QTRY_COMPARE(plot->legend->itemCount(), 1);
    QCOMPARE(shelf.page->model()->ticked()[0].colour, 1);
}

void TestRunsPage::deletesAfterAsking()
{
    Shelf shelf;
    const auto a = prepareRun(shelf.runs, "a", 3, RunState::finished);
    const auto b = prepareRun(shelf.runs, "b", 3, RunState::finished);
    shelf.open(2);
    for (const bool agree : { false, true }) {
        shelf.select(a);
        QTest::mouseClick(shelf.button("Delete"), Qt::LeftButton);
        auto* box = shelf.page->findChild<QMessageBox*>();
        QVERIFY(box != nullptr && box->text().contains(QStringLiteral("\"a\"")));
        QPushButton* answer = nullptr;
        for (auto* button : box->findChildren<QPushButton*>()) {
            if ((box->standardButton(button) == QMessageBox::Cancel) != agree) {
                answer = button;
            }
        }
        QTest::mouseClick(answer, Qt::LeftButton);
        QTRY_COMPARE(shelf.page->model()->rowCount(), agree ? 1 : 2);
        QTRY_VERIFY(shelf.page->findChild<QMessageBox*>() == nullptr);
    }
    QVERIFY(!std::filesystem::exists(a));
    QVERIFY(std::filesystem::exists(b));
}

void TestRunsPage::aRunThatGoesOnIsNotDeleted()
{
    Shelf shelf;
    auto folder = RunFolder::create(shelf.runs, "live", {});
    QVERIFY(folder);
    shelf.open(1);
    QTest::mouseClick(shelf.button("Delete"), Qt::LeftButton);
    auto* box = shelf.page->findChild<QMessageBox*>();
    for (auto* button : box->findChildren<QPushButton*>()) {
        if (box->standardButton(button) != QMessageBox::Cancel) {
            QTest::mouseClick(button, Qt::LeftButton);
            break;
        }
    }
    QVERIFY(std::filesystem::exists(folder->path() / "config.json"));
    QCOMPARE(shelf.page->model()->rowCount(), 1);
}

void TestRunsPage::givesItsOptionsToTheForm()
{
    Shelf shelf;
    RunConfig config;
    config.batchSize = 17;
    prepareRun(shelf.runs, "a", 3, RunState::finished, config);
    shelf.open(1);
    RunConfig given;
    connect(shelf.page.get(), &RunsPage::useOptions, this, [&given](const RunConfig& options) { given = options; });
    QTest::mouseClick(shelf.button("Use these options"), Qt::LeftButton);
    QCOMPARE(given.batchSize, 17);
}

void TestRunsPage::damagedRunsAreNamed()
{
    Shelf shelf;
    const auto run = prepareRun(shelf.runs, "bad", 3, RunState::finished);
    for (const char* name : { "config.json", "summary.json" }) {
        QFile file(QString::fromStdString((run / name).string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"torn");
    }
    {
        QFile metrics(QString::fromStdString((run / "metrics.jsonl").string()));
        QVERIFY(metrics.open(QIODevice::Append));
        metrics.write("{\"type\":\"step\",\"st");
    }
    shelf.open(1);
    QCOMPARE(shelf.cell(run, RunsModel::state), QStringLiteral("damaged"));
    QVERIFY(!shelf.button("Use these options")->isEnabled());
    QTRY_COMPARE(shelf.lossPoints(), 3);
}

TUNEBENCH_UI_TEST(TestRunsPage)
#include "tst_runs_page.moc"
