#include "tests/fuzz/fuzz_targets.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

/// Inputs that a fuzzer once found a fault with, and some that it starts from, in tests/data/fuzz/<target>.
class TestFuzzCorpus : public QObject {
    Q_OBJECT
private slots:
    void comesBack_data();
    void comesBack();
};

void TestFuzzCorpus::comesBack_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("path");
    for (const FuzzTarget& target : fuzzTargets()) {
        const QString name = QString::fromUtf8(target.name.data(), static_cast<qsizetype>(target.name.size()));
        const QString folder = QStringLiteral(TUNEBENCH_TEST_DATA "/fuzz/") + name;
        for (QDirIterator file(folder, QDir::Files); file.hasNext();) {
            const QString path = file.next();
            QTest::newRow(qPrintable(name + "/" + file.fileName())) << name << path;
        }
    }
}

void TestFuzzCorpus::comesBack()
{
    QFETCH(QString, target);
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string content = file.readAll().toStdString();
    QElapsedTimer timer;
    timer.start();
    for (const FuzzTarget& known : fuzzTargets()) {
        if (target.toStdString() == known.name) {
            known.run(content);
        }
    }
    QVERIFY2(timer.elapsed() < 60000, "takes too long");
}

QTEST_APPLESS_MAIN(TestFuzzCorpus)
#include "tst_fuzz_corpus.moc"
