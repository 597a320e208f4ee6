#include "tests/ui/ui_test.h"
#include "ui/form/steps_line.h"

#include <QFile>
#include <QSignalSpy>

using namespace tunebench;

class TestStepsLine : public QObject {
    Q_OBJECT
private slots:
    void counts_data();
    void counts();
    void readsTheFilesAgainWhenTheyChange();
    void saysWhatIsWrongWithTheRows();

private:
    QString writeRows(const QString& name, int rows);
    QTemporaryDir m_folder;
};

QString TestStepsLine::writeRows(const QString& name, int rows)
{
    QString path = m_folder.filePath(name);
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        for (int row = 0; row < rows; ++row) {
            file.write(R"({"input_ids": [1, 2, 3], "labels": [1, 2, 3]})"
                       "\n");
        }
    }
    return path;
}

void TestStepsLine::counts_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("accumulation");
    QTest::addColumn<double>("evalShare");
    QTest::addColumn<QString>("expected");
    QTest::newRow("3,200 rows at 2 x 8") << 3200 << 2 << 8 << 0.0 << "200 steps";
    QTest::newRow("10,000 rows at 10") << 10000 << 10 << 1 << 0.0 << "1,000 steps";
    QTest::newRow("the last partial group counts") << 33 << 4 << 4 << 0.0 << "3 steps";
    QTest::newRow("fewer rows than a group") << 3 << 4 << 8 << 0.0 << "1 steps";
    QTest::newRow("rows held out") << 1000 << 10 << 1 << 0.05 << "95 steps";
}

void TestStepsLine::counts()
{
    QFETCH(int, rows);
    QFETCH(int, batch);
    QFETCH(int, accumulation);
    QFETCH(double, evalShare);
    QFETCH(QString, expected);
    RunConfig config;
    config.dataset = { writeRows(QStringLiteral("rows.jsonl"), rows).toStdString() };
    config.batchSize = batch;
    config.accumulationSteps = accumulation;
    config.evalShare = evalShare;
    RowCounter counter;
    StepsLine line(counter, nullptr);
    line.setConfig(config);
    const QString product
        = QStringLiteral("%1 × %2 = <b>%3 rows a step").arg(batch).arg(accumulation).arg(batch * accumulation);
    QVERIFY2(line.text().startsWith(product), qPrintable(line.text()));
    QTRY_VERIFY2(line.text().contains(QStringLiteral("<b>%1</b>").arg(expected)), qPrintable(line.text()));
}

void TestStepsLine::readsTheFilesAgainWhenTheyChange()
{
    RunConfig config;
    config.evalShare = 0;
    config.dataset = { writeRows(QStringLiteral("growing.jsonl"), 10).toStdString() };
    RowCounter counter;
    counter.setConfig(config);
    QTRY_VERIFY(counter.count() && counter.count()->has_value());
    QCOMPARE((*counter.count())->training, 10);
    // Options that do not decide about rows ask for no second look.
    config.batchSize = 9;
    QSignalSpy changes(&counter, &RowCounter::changed);
    counter.setConfig(config);
    QVERIFY(counter.count());
    QCOMPARE(changes.count(), 1);
    config.maxRows = 4;
    counter.setConfig(config);
    QVERIFY(!counter.count());
    QTRY_VERIFY(counter.count() && (*counter.count())->training == 4);
    config.maxRows.reset();
    writeRows(QStringLiteral("growing.jsonl"), 20);
    counter.setConfig(config);
    QTRY_VERIFY(counter.count() && (*counter.count())->training == 20);
}

void TestStepsLine::saysWhatIsWrongWithTheRows()
{
    RunConfig config;
    config.dataset = { m_folder.filePath(QStringLiteral("missing.jsonl")).toStdString() };
    RowCounter counter;
    StepsLine line(counter, nullptr);
    line.setConfig(config);
    QTRY_VERIFY(line.text().contains(QStringLiteral("missing.jsonl")));
    QVERIFY(!line.text().contains(QStringLiteral("steps")));
}

TUNEBENCH_UI_TEST(TestStepsLine)
#include "tst_steps_line.moc"
