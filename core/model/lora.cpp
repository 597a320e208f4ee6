#include "core/model/lora.h"

#include "core/memory/memory_ledger.h"
#include "core/model/lora_targets.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <cmath>
#include <functional>

namespace tunebench {
namespace {

/// Beside `weight`, for products with the same inputs.
Parameter trainedBeside(const Parameter& weight, std::string name, at::Tensor value)
{
    const CategoryScope scope(MemoryCategory::gradients);
    auto gradient = at::zeros_like(value);
    return {
        .name = std::move(name), .value = std::move(value), .gradient = std::move(gradient), .products = weight.products
    };
}

/// Drawn on the host, so that the device does not change the numbers.
at::Tensor uniform(at::IntArrayRef shape, double bound, at::Device device, at::Generator& generator)
{
    auto values = at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device.is_meta() ? device : at::kCPU));
    if (!device.is_meta())
        values.uniform_(-bound, bound, generator);
    return values.to(device);
}

void forEachPair(Decoder& decoder, const std::function<void(Linear&)>& body)
{
    for (DecoderLayer& layer : decoder.layers) {
        for (auto& [name, projection] : layer.projections()) {
            if (projection->lora)
                body(*projection);
        }
    }
}

} // namespace

std::vector<LoraTarget> findLoraTargets(
    Decoder& decoder, std::span<const std::string> targets, std::span<const std::string> modulesToSave)
{
    std::vector<LoraTarget> found;
    for (size_t i = 0; i < decoder.layers.size(); ++i) {
        for (auto& [name, projection] : decoder.layers[i].projections()) {
            std::string module = "model.layers." + std::to_string(i) + "." + name;
            if (projection->weight.exists() && !savesWhole(modulesToSave, module + ".weight")
                && std::ranges::any_of(
                    targets, [&](const std::string& target) { return selectsModule(target, module); }))
                found.push_back({ std::move(module), projection });
        }
    }
    return found;
}

void attachLora(Decoder& decoder, std::span<const LoraTarget> targets, const LoraShape& shape, uint64_t seed)
{
    auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    const CategoryScope scope(MemoryCategory::trainableWeights);
    for (const LoraTarget& target : targets) {
        const Parameter& weight = target.projection->weight;
        const int64_t out = weight.shape()[0];
        const int64_t in = weight.shape()[1];
        auto a = uniform({ shape.rank, in }, 1 / std::sqrt(static_cast<double>(in)), decoder.device, generator);
        auto b = at::zeros({ out, shape.rank }, a.options());
        LoraPair& pair = target.projection->lora.emplace(LoraPair {
            .a = trainedBeside(weight, target.module + ".lora_A.weight", std::move(a)),
            .b = trainedBeside(weight, target.module + ".lora_B.weight", std::move(b)),
            .scale = shape.scale,
            .dropout = { .share = shape.dropout },
        });
        if (shape.magnitudes)
            pair.magnitude
                = trainedBeside(weight, target.module + ".lora_magnitude_vector", updatedRowLengths(pair, weight));
    }
}

AdapterOff::AdapterOff(Decoder& decoder)
{
    forEachPair(decoder, [this](Linear& projection) {
        m_aside.emplace_back(&projection, std::move(*projection.lora));
        projection.lora.reset();
    });
}

AdapterOff::~AdapterOff()
{
    for (auto& [projection, pair] : m_aside)
        projection->lora = std::move(pair);
}

DropoutScope::DropoutScope(Decoder& decoder, uint64_t seed, int64_t slotsBefore, int64_t slotsAfter)
{
    forEachPair(decoder, [&](Linear& projection) {
        Dropout& dropout = projection.lora->dropout;
        dropout.seed = mixedSeed(seed, m_projections.size());
        dropout.before = slotsBefore;
        dropout.after = slotsAfter;
        m_projections.push_back(&projection);
    });
}

DropoutScope::~DropoutScope()
{
    for (Linear* projection : m_projections)
        projection->lora->dropout.seed.reset();
}

} // namespace tunebench
