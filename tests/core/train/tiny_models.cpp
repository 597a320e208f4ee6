#include "tests/core/train/tiny_models.h"

#include "core/base/files.h"
#include "core/data/micro_batches.h"
#include "core/memory/device.h"
#include "core/ops/nf4_quantizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>

namespace tunebench::test {

TinyModel openTinyModel(const std::string& family, const std::string& kind)
{
    const std::string folder = std::string(TUNEBENCH_TEST_DATA) + "/train/" + family;
    auto reference = nlohmann::json::parse(readFile(folder + "_reference.json").value());
    std::vector<TokenRow> rows;
    for (const auto& row : reference.at("rows"))
        rows.push_back({ row.at("input_ids"), row.at("labels"), 0 });
    const std::string adapter = folder + (kind.empty() ? "" : "_" + kind) + "_adapter";
    return { openModelFiles(folder).value(), openPeftAdapter(adapter).value(), std::move(rows), std::move(reference),
        folder, adapter };
}

RunConfig referenceConfig(Method method)
{
    RunConfig config;
    config.method = method;
    config.precision = config.compute = NumberType::fp32;
    config.batchSize = 4;
    config.accumulationSteps = 2;
    config.order = RowOrder::sequential;
    config.loraRank = 4;
    config.loraAlpha = 8;
    config.learningRate = 1e-3;
    return config;
}

RunConfig adapterConfig(const TinyModel& model)
{
    RunConfig config = referenceConfig(Method::lora);
    config.loraTargets = model.adapter.targets;
    config.useRslora = model.adapter.rslora;
    config.useDora = model.adapter.dora;
    config.modulesToSave = model.adapter.modulesToSave;
    return config;
}

std::vector<MicroBatch> groupAt(const std::vector<TokenRow>& rows, const RunConfig& config, int64_t step)
{
    std::vector<MicroBatch> group;
    for (const auto& sequences : BatchPlan(lengthsOf(rows), config).microBatches(step))
        group.push_back(collate(rows, sequences, config, 0));
    return group;
}

Trainee makeTinyTrainee(const TinyModel& model, const RunConfig& config)
{
    initializeEngine();
    return makeTrainee(config, model.files.spec, model.files.weights.get(),
        config.method == Method::lora ? &model.adapter : nullptr, at::kCPU)
        .value();
}

void fillWith(Parameter& parameter, float value)
{
    if (!parameter.packed) {
        parameter.value.fill_(value);
        return;
    }
    Nf4Quantizer quantizer(*parameter.packed);
    quantizer.add(std::vector<float>(static_cast<size_t>(parameter.packed->numbers()), value));
    quantizer.finish();
}

double relativeDistance(const at::Tensor& a, const at::Tensor& b)
{
    const auto norm = [](const at::Tensor& x) { return at::linalg_vector_norm(x.to(at::kDouble)).item<double>(); };
    return norm(a.to(at::kDouble) - b.to(at::kDouble)) / norm(b);
}

} // namespace tunebench::test
