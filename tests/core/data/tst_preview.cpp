#include "core/data/preview.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace tunebench;

class TestPreview : public QObject {
    Q_OBJECT

private slots:
    void showsTheFirstRows();
    void formatNotFound();
    void missingFile();

private:
    std::string write(const QString& name, const QByteArray& content) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() ? file.fileName().toStdString()
                                                                                        : std::string();
    }
    QTemporaryDir m_folder;
};

void TestPreview::showsTheFirstRows()
{
    const std::string path = write("rows.csv", "question;answer\nq1;a1\nq2\n" + QByteArray("q;a\n").repeated(500'000));
    const auto preview = previewDataset({ &path, 1 }, RunConfig(), 3);
    QVERIFY(preview);
    QCOMPARE(preview->format, DatasetFormat::questionAnswer);
    QCOMPARE(preview->columns, (std::vector<std::string> { "question", "answer" }));
    QCOMPARE(preview->rows.size(), size_t { 3 });
    QCOMPARE(preview->rows[0].row->dump(), std::string(R"({"question":"q1","answer":"a1"})"));
    QVERIFY(!preview->rows[1].row);
    QCOMPARE(preview->rows[1].line, size_t { 3 });
    QCOMPARE(preview->rows[1].file, path);
    QCOMPARE(preview->notices.size(), size_t { 1 });
}

void TestPreview::formatNotFound()
{
    const std::string path = write("rows.jsonl", "{\"q\":1,\"z\":2}\n");
    const auto preview = previewDataset({ &path, 1 }, RunConfig(), 10);
    QVERIFY(preview);
    QCOMPARE(preview->format, DatasetFormat::automatic);
    QVERIFY2(preview->why.find("q, z") != std::string::npos, preview->why.c_str());
    QCOMPARE(preview->rows.size(), size_t { 1 });
}

void TestPreview::missingFile()
{
    const std::string path = m_folder.filePath("none.csv").toStdString();
    QVERIFY(!previewDataset({ &path, 1 }, RunConfig(), 10));
}

QTEST_GUILESS_MAIN(TestPreview)
#include "tst_preview.moc"
