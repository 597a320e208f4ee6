#include "ui/base/background.h"

#include <QSemaphore>
#include <QTest>

#include <memory>

using namespace tunebench;

class TestBackground : public QObject {
    Q_OBJECT

private slots:
    /// Qt paints large areas with its global pool; work of ours that takes its time must leave that one alone.
    void windowPaintsWhileWorkGoesOn()
    {
        const int tasks = QThread::idealThreadCount() + 2;
        const auto started = std::make_shared<QSemaphore>();
        const auto goOn = std::make_shared<QSemaphore>();
        int done = 0;
        for (int i = 0; i < tasks; ++i) {
            runInBackground(
                this,
                [started, goOn] {
                    started->release();
                    goOn->acquire();
                    return true;
                },
                [&done](bool) { ++done; });
        }
        const bool allRun = started->tryAcquire(qMin(tasks, 16), 30000); // side by side
        const int taken = QThreadPool::globalInstance()->activeThreadCount();
        goOn->release(tasks);
        QVERIFY(allRun);
        QCOMPARE(taken, 0);
        QTRY_COMPARE(done, tasks);
    }
};

QTEST_GUILESS_MAIN(TestBackground)
#include "tst_background.moc"
