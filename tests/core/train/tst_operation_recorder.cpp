#include "core/train/operation_recorder.h"

#include "core/memory/device.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/product.h"

#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <QElapsedTimer>
#include <QTest>
#include <map>

using namespace tunebench;

class TestOperationRecorder : public QObject {
    Q_OBJECT

    static std::map<std::string, OperationCount> byKind(const std::vector<OperationCount>& counts)
    {
        std::map<std::string, OperationCount> kinds;
        for (const OperationCount& count : counts)
            kinds[count.kind] = count;
        return kinds;
    }

    /// Seconds that it waited.
    static double untilTheClockMoves()
    {
        QElapsedTimer timer;
        timer.start();
        while (timer.nsecsElapsed() == 0) { }
        return static_cast<double>(timer.nsecsElapsed()) * 1e-9;
    }

private Q_SLOTS:
    void initTestCase() { initializeEngine(); }

    /// What many threads share has another price than what one does alone.
    void smallAndLarge()
    {
        const auto few = at::ones({ 32767 }), many = at::ones({ 32768 });
        const OperationRecorder recorder;
        few.add(1);
        many.add(1);
        many.add(1);
        many.view({ 2, -1 });
        const auto kinds = byKind(recorder.ofPasses());
        QCOMPARE(kinds.at("aten::add Float").calls, 1.0);
        QCOMPARE(kinds.at("aten::add Float").bytes, 2.0 * 4 * 32767);
        QCOMPARE(kinds.at("aten::add Float parallel").calls, 2.0);
        QCOMPARE(kinds.at("aten::view Float").bytes, 0.0);
    }

    /// A library chooses threads for products by their work, which is counted anyway.
    void products()
    {
        const auto left = at::ones({ 512, 256 }), right = at::ones({ 256, 1024 });
        const OperationRecorder recorder;
        at::mm(left, right);
        at::mm(left, right);
        const auto product = byKind(recorder.ofPasses()).at("aten::mm Float");
        QCOMPARE(product.calls, 2.0);
        QCOMPARE(product.shapes, 1.0);
        QCOMPARE(product.flops, 2 * 2.0 * 512 * 256 * 1024);
        QCOMPARE(product.bytes, 0.0);
    }

    void dryRunsCountAllPieces_data()
    {
        QTest::addColumn<int>("tokens");
        QTest::newRow("one piece of each loop") << 100;
        QTest::newRow("whole pieces") << 768;
        QTest::newRow("whole pieces and a rest") << 1300;
    }

    /// Of pieces that are alike a dry run makes one, and counts what the device does.
    void dryRunsCountAllPieces()
    {
        QFETCH(const int, tokens);
        constexpr int64_t vocabulary = 20000; // 416 rows of logits at once, and the head is cast in three pieces
        const auto countsOn = [&](at::DeviceType device) {
            const auto half = at::TensorOptions(device).dtype(at::kHalf), wider = half.dtype(at::kFloat);
            const auto hidden = at::zeros({ tokens, 16 }, half);
            const Parameter head { .name = "head",
                .value = at::zeros({ vocabulary, 16 }, half),
                .gradient = at::zeros({ vocabulary, 16 }, wider),
                .products = at::kFloat };
            const auto targets = at::zeros({ tokens }, half.dtype(at::kLong)), weights = at::zeros({ tokens }, wider);
            const OperationRecorder recorder;
            product(hidden, at::zeros({ 16, 8 }, wider));
            at::Tensor hiddenGradient;
            linearCrossEntropyWithGradient(hidden, head, targets, weights, hiddenGradient, 0);
            return recorder.ofPasses();
        };
        const auto dry = countsOn(at::kMeta), real = countsOn(at::kCPU);
        QCOMPARE(dry.size(), real.size());
        for (size_t i = 0; i < dry.size(); ++i) {
            QCOMPARE(dry[i].kind, real[i].kind);
            QCOMPARE(dry[i].calls, real[i].calls);
            QCOMPARE(dry[i].shapes, real[i].shapes);
            QCOMPARE(dry[i].flops, real[i].flops);
            QCOMPARE(dry[i].elements, real[i].elements);
            QCOMPARE(dry[i].bytes, real[i].bytes);
        }
        QVERIFY(byKind(dry).at("aten::mm Float").calls >= 4);
    }

    /// An operation on a list is one for each tensor of it.
    void lists()
    {
        std::vector<at::Tensor> tensors(7);
        for (at::Tensor& tensor : tensors)
            tensor = at::ones({ 10 });
        const OperationRecorder recorder;
        at::_foreach_mul_(tensors, 2);
        QCOMPARE(byKind(recorder.ofPasses()).at("aten::_foreach_mul_ Float").calls, 7.0);
    }

    /// Freeing memory belongs to what was done with it; what happens between steps belongs to nothing.
    void pauses()
    {
        QElapsedTimer all;
        all.start();
        OperationRecorder recorder(at::Device(at::kCPU));
        auto values = at::ones({ 10 });
        values.add_(1);
        const double within = untilTheClockMoves();
        values.mul_(2);
        recorder.endStep();
        const double between = untilTheClockMoves();
        values.sub_(1);
        double seconds = 0;
        for (const TimedOperation& operation : recorder.timed()) {
            seconds += operation.seconds;
            if (operation.work.kind == "aten::add_ Float")
                QVERIFY(operation.seconds >= within);
        }
        QVERIFY(seconds <= static_cast<double>(all.nsecsElapsed()) * 1e-9 - between);
    }
};

QTEST_APPLESS_MAIN(TestOperationRecorder)
#include "tst_operation_recorder.moc"
