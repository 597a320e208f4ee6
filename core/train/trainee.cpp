#include "core/train/trainee.h"

#include "core/memory/device.h"
#include "core/model/load_weights.h"
#include "core/model/lora.h"
#include "core/model/peft_adapter.h"

#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

void copyInto(const at::Tensor& target, std::vector<float>& numbers)
{
    target.copy_(at::from_blob(numbers.data(), target.sizes(), at::TensorOptions().dtype(at::kFloat)));
}

/// The pairs' numbers from the adapter, whose shapes have been checked against the model.
Result<void> fillFromAdapter(std::span<const LoraTarget> targets, const PeftAdapter& adapter)
{
    for (const LoraTarget& target : targets) {
        const auto pair = std::ranges::find(adapter.tensors, target.module, &PeftAdapter::Pair::module);
        if (pair == adapter.tensors.end())
            return failure("The adapter has no tensors for " + target.module + ".");
        const LoraPair& lora = *target.projection->lora;
        std::vector<float> a(static_cast<size_t>(lora.a.value.numel())), b(static_cast<size_t>(lora.b.value.numel()));
        const auto index = static_cast<size_t>(pair - adapter.tensors.begin());
        adapter.readA(index, a);
        adapter.readB(index, b);
        copyInto(lora.a.value, a);
        copyInto(lora.b.value, b);
    }
    return {};
}

Result<void> attachPairs(Decoder& decoder, const RunConfig& config, const PeftAdapter* adapter)
{
    const auto targets = findLoraTargets(decoder, config.loraTargets);
    const auto rank = static_cast<double>(config.loraRank);
    const double scale = config.loraAlpha / (config.useRslora ? std::sqrt(rank) : rank);
    attachLora(decoder, targets, config.loraRank, scale, static_cast<uint64_t>(config.seed));
    return adapter ? fillFromAdapter(targets, *adapter) : Result<void>();
}

} // namespace

Result<Trainee> makeTrainee(const RunConfig& config, const ModelSpec& spec, const WeightSource* weights,
    const PeftAdapter* adapter, at::Device device)
{
    const bool full = config.method == Method::full;
    const at::ScalarType compute = scalarType(config.compute);
    Decoder decoder = makeDecoder(spec, device, scalarType(config.precision), compute, full);
    if (weights) {
        if (auto loaded = loadWeights(decoder, *weights); !loaded)
            return tl::unexpected(loaded.error());
    }
    if (!full) {
        if (auto attached = attachPairs(decoder, config, adapter); !attached)
            return tl::unexpected(attached.error());
    }
    Optimizer optimizer(decoder.trainedParameters(), config);
    return Trainee {
        .decoder = std::move(decoder),
        .optimizer = std::move(optimizer),
        .scaler = LossScaler(compute == at::kHalf, config.lossScale),
    };
}

} // namespace tunebench
