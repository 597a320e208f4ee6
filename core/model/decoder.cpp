#include "core/model/decoder.h"

#include "core/memory/memory_ledger.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <cmath>
#include <map>
#include <numbers>

namespace tunebench {
namespace {

/// Where each needed tensor of the spec goes.
std::map<std::string, Parameter*> parameterSlots(Decoder& decoder)
{
    std::map<std::string, Parameter*> slots {
        { "model.embed_tokens.weight", &decoder.embedding },
        { "model.norm.weight", &decoder.finalNorm },
        { "lm_head.weight", &decoder.untiedHead },
    };
    for (size_t i = 0; i < decoder.layers.size(); ++i) {
        DecoderLayer& layer = decoder.layers[i];
        const std::string prefix = "model.layers." + std::to_string(i) + ".";
        slots[prefix + "input_layernorm.weight"] = &layer.inputNorm;
        slots[prefix + "post_attention_layernorm.weight"] = &layer.postAttentionNorm;
        for (auto& [name, projection] : layer.projections()) {
            slots[prefix + name + ".weight"] = &projection->weight;
            slots[prefix + name + ".bias"] = &projection->bias;
        }
    }
    return slots;
}

/// Llama 3.1's frequencies: long wavelengths stretched, short ones kept, those between blended.
double llama3Frequency(double frequency, const RopeSpec& rope)
{
    const double wavelength = 2 * std::numbers::pi / frequency;
    const double context = static_cast<double>(rope.originalContext);
    if (wavelength < context / rope.highFrequencyFactor)
        return frequency;
    if (wavelength > context / rope.lowFrequencyFactor)
        return frequency / rope.factor;
    const double smooth
        = (context / wavelength - rope.lowFrequencyFactor) / (rope.highFrequencyFactor - rope.lowFrequencyFactor);
    return (1 - smooth) * frequency / rope.factor + smooth * frequency;
}

} // namespace

std::vector<std::pair<std::string, Linear*>> DecoderLayer::projections()
{
    return { { "self_attn.q_proj", &query }, { "self_attn.k_proj", &key }, { "self_attn.v_proj", &value },
        { "self_attn.o_proj", &output }, { "mlp.gate_proj", &gate }, { "mlp.up_proj", &up }, { "mlp.down_proj", &down } };
}

void Decoder::forEachBaseParameter(const std::function<void(Parameter&)>& body)
{
    const auto visit = [&](Parameter& parameter) {
        if (parameter.exists())
            body(parameter);
    };
    visit(embedding);
    for (DecoderLayer& layer : layers) {
        visit(layer.inputNorm);
        visit(layer.postAttentionNorm);
        for (auto& [name, projection] : layer.projections()) {
            visit(projection->weight);
            visit(projection->bias);
        }
    }
    visit(finalNorm);
    visit(untiedHead);
}

std::vector<Parameter*> Decoder::trainedParameters()
{
    std::vector<Parameter*> trained;
    for (DecoderLayer& layer : layers) {
        for (auto& [name, projection] : layer.projections()) {
            if (!projection->lora)
                continue;
            trained.push_back(&projection->lora->a);
            trained.push_back(&projection->lora->b);
        }
    }
    forEachBaseParameter([&](Parameter& parameter) {
        if (parameter.trained())
            trained.push_back(&parameter);
    });
    return trained;
}

Decoder makeDecoder(
    const ModelSpec& spec, at::Device device, at::ScalarType precision, at::ScalarType compute, bool trainAll)
{
    Decoder decoder { .spec = spec, .device = device, .compute = compute };
    decoder.layers.resize(static_cast<size_t>(spec.layers));
    const auto options = at::TensorOptions().device(device).dtype(trainAll ? at::kFloat : precision);
    const auto slots = parameterSlots(decoder);
    for (const TensorInfo& needed : neededTensors(spec)) {
        Parameter& parameter = *slots.at(needed.name);
        parameter.name = needed.name;
        {
            const CategoryScope scope(trainAll ? MemoryCategory::trainableWeights : MemoryCategory::weights);
            parameter.value = at::empty(needed.shape, options);
        }
        if (trainAll) {
            const CategoryScope scope(MemoryCategory::gradients);
            parameter.gradient = at::zeros_like(parameter.value);
        }
    }
    decoder.inverseFrequencies = ropeInverseFrequencies(spec);
    return decoder;
}

std::vector<float> ropeInverseFrequencies(const ModelSpec& spec)
{
    std::vector<float> frequencies(static_cast<size_t>(spec.headSize / 2));
    for (size_t i = 0; i < frequencies.size(); ++i) {
        const auto exponent = static_cast<float>(2 * i) / static_cast<float>(spec.headSize);
        const double plain = 1.0F / std::pow(static_cast<float>(spec.rope.theta), exponent);
        switch (spec.rope.scaling) {
        case RopeSpec::Scaling::none:
            frequencies[i] = static_cast<float>(plain);
            break;
        case RopeSpec::Scaling::linear:
            frequencies[i] = static_cast<float>(plain / spec.rope.factor);
            break;
        case RopeSpec::Scaling::llama3:
            frequencies[i] = static_cast<float>(llama3Frequency(plain, spec.rope));
            break;
        }
    }
    return frequencies;
}

} // namespace tunebench
