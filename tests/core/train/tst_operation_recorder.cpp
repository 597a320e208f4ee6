#include "core/train/operation_recorder.h"

#include "core/memory/device.h"
#include "core/ops/product.h"

#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
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

    /// A product that is made in a wider type, some rows at a time, is one, however few pieces a dry run makes.
    void widerProducts()
    {
        for (const at::DeviceType device : { at::kCPU, at::kMeta }) {
            const auto half = at::TensorOptions(device).dtype(at::kHalf), wider = half.dtype(at::kFloat);
            const auto left = at::empty({ 1000, 64 }, half).fill_(1), sum = at::empty({ 1000, 32 }, half).fill_(0),
                       right = at::empty({ 64, 32 }, wider).fill_(1), gradient = at::empty({ 64, 32 }, wider).fill_(0);
            const OperationRecorder recorder;
            product(left, right);
            addProduct(sum, left, right);
            addTransposedProduct(gradient, left, sum);
            const auto kinds = byKind(recorder.ofPasses());
            for (const char* kind : { "wider_mm", "wider_addmm_", "wider_addmm_transposed_" }) {
                const OperationCount& count = kinds.at("tunebench::" + std::string(kind) + " Half");
                QCOMPARE(count.calls, 1.0);
                QCOMPARE(count.shapes, 1.0);
                QCOMPARE(count.flops, 2.0 * 1000 * 64 * 32);
                QCOMPARE(count.elements, 1000.0 * 64);
                QCOMPARE(count.bytes, 0.0);
            }
            QVERIFY(!kinds.contains("aten::mm Float"));
        }
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
