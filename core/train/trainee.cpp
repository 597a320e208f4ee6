#include "core/train/trainee.h"

#include "core/model/load_weights.h"
#include "core/model/lora.h"
#include "core/train/device.h"

namespace tunebench {
namespace {

Result<void> attachPairs(Decoder& decoder, const RunConfig& config, const PeftAdapter* adapter)
{
    const auto targets = findLoraTargets(decoder, config.loraTargets);
    if (!targets)
        return tl::unexpected(targets.error());
    attachLora(decoder, *targets, config.loraRank, config.loraAlpha, static_cast<uint64_t>(config.seed));
    static_cast<void>(adapter); return {};
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
