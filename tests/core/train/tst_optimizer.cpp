#include "core/base/files.h"
#include "core/config/choices.h"
#include "core/config/options.h"
#include "core/memory/counting_allocator.h"
#include "core/memory/device.h"
#include "core/ops/dynamic_map.h"
#include "core/train/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <QTest>
#include <array>
#include <nlohmann/json.hpp>

using namespace tunebench;

namespace {

nlohmann::json rightValues()
{
    return nlohmann::json::parse(readFile(std::string(TUNEBENCH_TEST_DATA) + "/train/optimizers.json").value());
}

at::Tensor tensorOf(const nlohmann::json& numbers)
{
    if (!numbers.front().is_array())
        return at::tensor(numbers.get<std::vector<float>>());
    std::vector<float> all;
    for (const auto& row : numbers)
        all.insert(all.end(), row.begin(), row.end());
    return at::tensor(all).view({ static_cast<int64_t>(numbers.size()), -1 });
}

Parameter parameterOf(const nlohmann::json& numbers)
{
    Parameter parameter { "p", tensorOf(numbers), {} };
    parameter.gradient = at::zeros_like(parameter.value);
    return parameter;
}

/// The numbers of make_optimizers.py's spread().
at::Tensor spread(int64_t salt)
{
    constexpr int64_t rows = 61, columns = 75;
    std::vector<float> numbers;
    constexpr std::array magnitudes { 1.0, 0.1, 0.01 };
    for (int64_t i = 0; i < rows * columns; ++i) {
        const auto hash = static_cast<uint32_t>(static_cast<uint64_t>(i + salt) * 2654435761U);
        numbers.push_back(static_cast<float>((hash / 4294967296.0 - 0.5) * magnitudes[static_cast<size_t>(i % 3)]));
    }
    return at::tensor(numbers).view({ rows, columns });
}

RunConfig configOf(const nlohmann::json& options)
{
    RunConfig config;
    for (const auto& [key, value] : options.items()) {
        if (!setOption(config, key, value))
            qFatal("no such option");
    }
    return config;
}

std::map<std::string, at::Tensor> statesOf(const Optimizer& optimizer)
{
    std::map<std::string, at::Tensor> states;
    optimizer.forEachState([&](const std::string& name, const at::Tensor& tensor) { states[name] = tensor; });
    return states;
}

} // namespace

/// Weights after some steps against torch.optim, lion-pytorch, transformers and bitsandbytes
/// (tests/data/train/make_optimizers.py).
class TestOptimizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsMatchTorch_data()
    {
        QTest::addColumn<int>("index");
        const auto values = rightValues();
        int index = 0;
        for (const auto& right : values.at("cases"))
            QTest::newRow(right.at("options").dump().c_str()) << index++;
    }

    void stepsMatchTorch()
    {
        QFETCH(int, index);
        initializeEngine();
        const auto values = rightValues();
        const auto& right = values.at("cases").at(static_cast<size_t>(index));
        const RunConfig config = configOf(right.at("options"));
        Parameter matrix = parameterOf(values.at("matrix"));
        Parameter vector = parameterOf(values.at("vector"));
        Optimizer optimizer({ &matrix, &vector }, config);
        for (size_t step = 0; step < values.at("rates").size(); ++step) {
            const auto& gradients = values.at("gradients").at(step);
            matrix.gradient.copy_(tensorOf(gradients[0]));
            vector.gradient.copy_(tensorOf(gradients[1]));
            optimizer.step(values.at("rates").at(step));
        }
        QVERIFY(at::allclose(matrix.value, tensorOf(right.at("matrix")), 1e-5, 1e-6));
        QVERIFY(at::allclose(vector.value, tensorOf(right.at("vector")), 1e-5, 1e-6));
    }

    /// Weights and moments against bitsandbytes. A number that lies between two codes may be rounded to either side.
    void eightBitMomentsMatch()
    {
        initializeEngine();
        const auto values = rightValues();
        const auto& right = values.at("adamw_8bit");
        QVERIFY(at::equal(dynamicMap(true), tensorOf(right.at("signed_map"))));
        QVERIFY(at::equal(dynamicMap(false), tensorOf(right.at("unsigned_map"))));
        Parameter matrix { "p", spread(0), at::zeros({ 61, 75 }) };
        Optimizer optimizer({ &matrix }, configOf(right.at("options")));
        for (size_t step = 0; step < values.at("rates").size(); ++step) {
            matrix.gradient.copy_(spread(1000 * (static_cast<int64_t>(step) + 1)));
            optimizer.step(values.at("rates").at(step));
        }
        const auto states = statesOf(optimizer);
        const auto sampled = [&](const at::Tensor& tensor) {
            return tensor.flatten().slice(0, 0, {}, right.at("sample").get<int64_t>()).to(at::kFloat);
        };
        const auto unlike = [&](const std::string& name) {
            const auto distance = (sampled(states.at("p." + name)) - tensorOf(right.at(name))).abs();
            return distance.max().item<double>() <= 1 ? distance.sum().item<double>() : distance.numel();
        };
        QVERIFY(unlike("first_moment") <= 3);
        QVERIFY(unlike("second_moment") <= 3);
        for (const char* name : { "first_moment_scales", "second_moment_scales" })
            QVERIFY(at::allclose(states.at(std::string("p.") + name), tensorOf(right.at(name)), 1e-5, 0));
        const auto distance = (sampled(matrix.value) - tensorOf(right.at("matrix"))).abs();
        QVERIFY2(at::allclose(sampled(matrix.value), tensorOf(right.at("matrix")), 1e-5, 1e-6),
            qPrintable(QString::number(distance.max().item<double>())));
    }

    /// Two bytes a value and two fp32 scales a block of 256; little tensors keep fp32 moments.
    void eightBitStateIsSmall()
    {
        initializeEngine();
        Parameter large { "large", at::zeros({ 100, 100 }), at::zeros({ 100, 100 }) };
        Parameter small { "small", at::zeros({ 4095 }), at::zeros({ 4095 }) };
        Optimizer optimizer({ &large, &small }, configOf({ { "optimizer", "adamw_8bit" } }));
        size_t bytes = 0;
        for (const auto& [name, state] : statesOf(optimizer)) {
            if (name.starts_with("large."))
                bytes += state.nbytes();
        }
        QCOMPARE(bytes, size_t { 2 * 10000 + 2 * 4 * 40 });
        QCOMPARE(statesOf(optimizer).at("small.first_moment").scalar_type(), at::kFloat);
    }

    void zeroGradientsLeaveWeights()
    {
        initializeEngine();
        Parameter matrix { "p", spread(0), at::zeros({ 61, 75 }) };
        Optimizer optimizer({ &matrix }, configOf({ { "optimizer", "adamw_8bit" } }));
        optimizer.step(0.1);
        QVERIFY(at::equal(matrix.value, spread(0)));
    }

    void planSeesTheSameMemory_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const std::string_view name : ChoiceNames<OptimizerKind>::names)
            QTest::newRow(std::string(name).c_str()) << QString::fromStdString(std::string(name));
    }

    /// State, and the most that a step takes, on the CPU and on the meta device.
    void planSeesTheSameMemory()
    {
        QFETCH(QString, optimizer);
        initializeEngine();
        const auto measure = [&](at::Device device, MemoryLedger& ledger) {
            const auto options = at::TensorOptions().device(device).dtype(at::kFloat);
            std::vector<Parameter> parameters;
            for (const std::vector<int64_t>& shape : { std::vector<int64_t> { 1200, 1000 }, { 70, 70 }, { 33 } })
                parameters.push_back(
                    { std::to_string(shape[0]), at::zeros(shape, options), at::zeros(shape, options) });
            const int64_t before = ledger.allocated();
            Optimizer made({ &parameters[0], &parameters[1], &parameters[2] },
                configOf({ { "optimizer", optimizer.toStdString() }, { "momentum", 0.9 }, { "weight_decay", 0.1 } }));
            const int64_t state = ledger.allocated() - before;
            ledger.resetPeak();
            made.step(1e-3);
            made.step(1e-3);
            return std::pair(state, ledger.peak() - before);
        };
        QCOMPARE(measure(at::kMeta, metaLedger()), measure(at::kCPU, cpuLedger()));
    }
};

QTEST_APPLESS_MAIN(TestOptimizer)
#include "tst_optimizer.moc"
