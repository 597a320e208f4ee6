#include "core/base/files.h"
#include "core/config/options.h"
#include "core/memory/device.h"
#include "core/train/optimizer.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <QTest>
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

} // namespace

/// Weights after some steps against torch.optim and lion-pytorch (tests/data/train/make_optimizers.py).
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
        RunConfig config;
        for (const auto& [key, value] : right.at("options").items())
            QVERIFY(setOption(config, key, value).has_value());
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
};

QTEST_APPLESS_MAIN(TestOptimizer)
#include "tst_optimizer.moc"
