#include "core/memory/cuda_refusal.h"

#include <QTest>

using namespace tunebench;

class TestCudaRefusal : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Messages as LibTorch 2.11 puts them together.
    void refusalsOfACardAreRead_data()
    {
        QTest::addColumn<QString>("message");
        QTest::addColumn<qint64>("requested");
        QTest::addColumn<qint64>("allocated");
        QTest::addColumn<qint64>("reserved"); // -1: not told
        constexpr qint64 kibi = 1024, mebi = kibi * 1024, gibi = mebi * 1024;
        const QString asked
            = "CUDA out of memory. Tried to allocate %1. GPU 0 has a total capacity of 3.81 GiB of which "
              "12.25 MiB is free. ";
        const QString others = "Process 1234 has 512.00 MiB memory in use. Including non-PyTorch memory, this process "
                               "has 3.20 GiB memory in use. ";
        const QString end = "If reserved but unallocated memory is large try setting "
                            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.";
        QTest::newRow("usual") << asked.arg("20.00 MiB") + others
                + "Of the allocated memory 2.50 GiB is allocated by PyTorch, and 64.00 MiB is reserved by PyTorch but "
                  "unallocated. "
                + end << 20 * mebi
                               << gibi * 5 / 2 << gibi * 5 / 2 + 64 * mebi;
        QTest::newRow("with a limit") << asked.arg("1.50 GiB") + others
                + "3.00 GiB allowed; Of the allocated memory 1.00 GiB is allocated by PyTorch, and 512 bytes is "
                  "reserved by PyTorch but unallocated. "
                + end << gibi * 3 / 2 << gibi
                                      << gibi + 512;
        QTest::newRow("with private pools") << asked.arg("2.00 KiB")
                + "Of the allocated memory 1.00 GiB is allocated by PyTorch, with 8.00 MiB allocated in private pools "
                  "(e.g., CUDA Graphs), and 2.00 MiB is reserved by PyTorch but unallocated. "
                + end << 2 * kibi << gibi << gibi + 2 * mebi;
        QTest::newRow("cut off") << "CUDA out of memory. Tried to allocate " << qint64(-1) << qint64(-1) << qint64(-1);
        QTest::newRow("beyond all measure")
            << "CUDA out of memory. Tried to allocate more than 1EB memory." << qint64(-1) << qint64(-1) << qint64(-1);
        QTest::newRow("a library's") << "CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)" << qint64(-1)
                                     << qint64(-1) << qint64(-1);
    }

    void refusalsOfACardAreRead()
    {
        QFETCH(QString, message);
        QFETCH(qint64, requested);
        QFETCH(qint64, allocated);
        QFETCH(qint64, reserved);
        const CudaRefusal refusal = readCudaRefusal(message.toStdString());
        QCOMPARE(qint64(refusal.requested.value_or(-1)), requested);
        QCOMPARE(qint64(refusal.allocated.value_or(-1)), allocated);
        QCOMPARE(qint64(refusal.reserved.value_or(-1)), reserved);
    }
};

QTEST_GUILESS_MAIN(TestCudaRefusal)
#include "tst_cuda_refusal.moc"
