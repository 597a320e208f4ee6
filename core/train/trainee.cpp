#include "core/train/trainee.h"

#include "core/config/cards.h"
#include "core/memory/device.h"
#include "core/model/load_weights.h"
#include "core/model/lora.h"
#include "core/model/lora_targets.h"
#include "core/model/peft_adapter.h"

#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

void fill(const Parameter& parameter, const PeftAdapter& adapter, size_t fileIndex)
{
    std::vector<float> numbers(static_cast<size_t>(parameter.value.numel()));
    adapter.read(fileIndex, numbers);
    parameter.value.copy_(
        at::from_blob(numbers.data(), parameter.value.sizes(), at::TensorOptions().dtype(at::kFloat)));
}

/// The numbers of what is trained from the adapter, whose shapes have been checked against the model.
Result<void> fillFromAdapter(Decoder& decoder, std::span<const LoraTarget> targets, const PeftAdapter& adapter)
{
    for (const LoraTarget& target : targets) {
        const auto found = std::ranges::find(adapter.tensors, target.module, &PeftAdapter::Pair::module);
        if (found == adapter.tensors.end())
            return failure("The adapter has no tensors for " + target.module + ".");
        const LoraPair& lora = *target.projection->lora;
        fill(lora.a, adapter, found->fileIndexA);
        fill(lora.b, adapter, found->fileIndexB);
        if (found->fileIndexMagnitude)
            fill(lora.magnitude, adapter, *found->fileIndexMagnitude);
    }
    decoder.forEachBaseParameter([&](const Parameter& parameter) {
        const auto found = std::ranges::find(adapter.whole, parameter.name, &PeftAdapter::Whole::name);
        if (found != adapter.whole.end())
            fill(parameter, adapter, found->fileIndex);
    });
    return {};
}

Result<void> attachPairs(Decoder& decoder, const RunConfig& config, const PeftAdapter* adapter)
{
    const auto targets = findLoraTargets(decoder, config.loraTargets, config.modulesToSave);
    const auto rank = static_cast<double>(config.loraRank);
    const LoraShape shape { .rank = config.loraRank,
        .scale = config.loraAlpha / (config.useRslora ? std::sqrt(rank) : rank),
        .dropout = config.loraDropout,
        .magnitudes = config.useDora };
    attachLora(decoder, targets, shape, static_cast<uint64_t>(config.seed));
    return adapter ? fillFromAdapter(decoder, targets, *adapter) : Result<void>();
}

/// A dry run plans for the device of the options.
Holding holdingOf(const RunConfig& config, at::Device device)
{
    const bool card = device.is_cuda() || (device.is_meta() && cudaNumber(config.device));
    const auto compute = scalarType(config.compute);
    Holding holding { .type = scalarType(config.unpackedPrecision()),
        .fourBits = config.precision == NumberType::nf4,
        .unpacksByOperations = card };
    if (!card && cpuProductType(compute) != compute)
        holding.products = cpuProductType(compute);
    return holding;
}

/// The decoder that this method trains. Where modules_to_save has the embedding or the head of a model that ties them,
/// they are two tensors, as in PEFT.
Decoder decoderFor(const RunConfig& config, ModelSpec spec, at::Device device)
{
    const bool full = config.method == Method::full;
    const auto isTrained = [&](std::string_view name) { return full || savesWhole(config.modulesToSave, name); };
    if (!full && (isTrained("model.embed_tokens.weight") || isTrained("lm_head.weight")))
        spec.tiedEmbeddings = false;
    return makeDecoder(spec, device, holdingOf(config, device), scalarType(config.compute), isTrained);
}

} // namespace

Result<Trainee> makeTrainee(const RunConfig& config, const ModelSpec& spec, const WeightSource* weights,
    const PeftAdapter* adapter, at::Device device)
{
    Decoder decoder = decoderFor(config, spec, device);
    if (weights) {
        if (auto loaded = loadWeights(decoder, *weights); !loaded)
            return tl::unexpected(loaded.error());
    }
    if (config.method == Method::lora) {
        if (auto attached = attachPairs(decoder, config, adapter); !attached)
            return tl::unexpected(attached.error());
    }
    Optimizer optimizer(decoder.trainedParameters(), config);
    const LossScaler scaler(decoder.compute == at::kHalf, config.lossScale);
    return Trainee { .decoder = std::move(decoder), .optimizer = std::move(optimizer), .scaler = scaler };
}

} // namespace tunebench
