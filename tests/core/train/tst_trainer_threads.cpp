#include "core/memory/process_meter.h"
#include "tests/core/train/trainer_test.h"

#include <QDir>
#include <atomic>
#include <thread>

using namespace tunebench;

/// The trainer under many threads and many starts; what the thread sanitizer runs (preset tsan).
class TestTrainerThreads : public TrainerTest {
    Q_OBJECT

    static int threads()
    {
        return static_cast<int>(QDir("/proc/self/task").entryList(QDir::NoDotAndDotDot | QDir::Dirs).size());
    }

    /// Starts a run and stops it at once, `times` times, at whatever moment that is.
    void startAndStop(const TrainingJob& job, int times)
    {
        for (int i = 0; i < times; ++i) {
            Trainer trainer(job);
            switch (i % 4) {
            case 0:
                break; // the destructor stops it
            case 1:
                trainer.stop();
                break;
            case 2:
                trainer.pause();
                trainer.stop();
                break;
            default:
                while (trainer.drain().empty() && !trainer.finished())
                    std::this_thread::yield();
                trainer.stop();
                trainer.wait();
                QVERIFY(trainer.finished());
            }
        }
    }

private slots:
    /// Runs that never get as far as a folder, and runs that do: no thread and no memory stays behind.
    void startsAndStopsLeaveNothing()
    {
        const TrainingJob one = job({ "max_steps=1", "save_every=0", "lora_targets=q_proj" });
        constexpr int warmup = 100, cycles = 1000;
        startAndStop(one, warmup);
        const int threadsBefore = threads();
        const int64_t before = readProcess().resident;
        startAndStop(one, cycles);
        const int64_t growth = readProcess().resident - before;
        QVERIFY2(
            threads() <= threadsBefore, qPrintable(QString("%1 threads, %2 before").arg(threads()).arg(threadsBefore)));
        constexpr int64_t rounding = 8 << 20; // bytes: the heap's own; a run that leaked would leave 1,000 of its kind
        QVERIFY2(growth < rounding, qPrintable(QString("%1 bytes more").arg(growth)));
    }

    void manyThreadsSteerOne()
    {
        Trainer trainer(job({ "epochs=200", "eval_share=0.3", "eval_every=5", "save_every=7", "lora_targets=q_proj" }));
        std::atomic<size_t> drained = 0;
        {
            std::vector<std::jthread> hands;
            for (int number = 0; number < 6; ++number) {
                hands.emplace_back([&, number](const std::stop_token& enough) {
                    while (!enough.stop_requested() && !trainer.finished()) {
                        number % 3 == 0 ? trainer.pause() : trainer.resume();
                        drained += trainer.drain().size();
                        static_cast<void>(trainer.outcome());
                        std::this_thread::yield();
                    }
                });
            }
            QVERIFY(QTest::qWaitFor([&] { return drained > 60; }, 60000));
            hands.emplace_back([&] { trainer.stop(); });
            hands.emplace_back([&] { trainer.stop(); });
            trainer.wait();
        }
        QVERIFY2(trainer.outcome().has_value(), trainer.outcome() ? "" : trainer.outcome().error().message.c_str());
        QVERIFY(findRun(runs(), trainer.outcome()->filename().string())->summary.state == RunState::stopped);
    }

    /// Runs side by side do not see each other.
    void severalRunsAtOnce()
    {
        const TrainingJob alone = job({ "max_steps=2" }, "alone");
        const auto right = run(alone);
        std::vector<std::unique_ptr<Trainer>> trainers;
        for (const char* name : { "a", "b", "c" })
            trainers.push_back(std::make_unique<Trainer>(job({ "max_steps=2" }, name)));
        for (const auto& trainer : trainers) {
            trainer->wait();
            QVERIFY(trainer->outcome().has_value());
            const auto curves = readCurves(*trainer->outcome()).value();
            QCOMPARE(curves.steps.back().loss, right.steps.back().loss);
        }
    }
};

QTEST_GUILESS_MAIN(TestTrainerThreads)
#include "tst_trainer_threads.moc"
