#include "core/model/decoder.h"

#include "core/memory/memory_ledger.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <cmath>
#include <map>

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
        slots[prefix + "self_attn.q_norm.weight"] = &layer.queryNorm;
        slots[prefix + "self_attn.k_norm.weight"] = &layer.keyNorm;
        const bool outputNorms = decoder.spec.outputNorms;
        slots[prefix + "post_attention_layernorm.weight"]
            = outputNorms ? &layer.attentionOutputNorm : &layer.mlpInputNorm;
        slots[prefix + "pre_feedforward_layernorm.weight"] = &layer.mlpInputNorm;
        slots[prefix + "post_feedforward_layernorm.weight"] = &layer.mlpOutputNorm;
        for (auto& [name, projection] : layer.projections()) {
            slots[prefix + name + ".weight"] = &projection->weight;
            slots[prefix + name + ".bias"] = &projection->bias;
        }
    }
    return slots;
}

/// Makes the tensors of parameters, not yet filled.
class ParameterMaker {
public:
    ParameterMaker(at::Device device, const Holding& holding)
        : m_device(device)
        , m_holding(holding)
    {
        const CategoryScope scope(MemoryCategory::weights);
        if (holding.fourBits && holding.unpacksByOperations)
            m_tables = nf4Tables(device);
    }

    void makeTrained(Parameter& parameter, const std::vector<int64_t>& shape) const
    {
        {
            const CategoryScope scope(MemoryCategory::trainableWeights);
            parameter.value = at::empty(shape, at::TensorOptions().device(m_device).dtype(at::kFloat));
        }
        const CategoryScope scope(MemoryCategory::gradients);
        parameter.gradient = at::zeros_like(parameter.value);
    }

    void makeFrozen(Parameter& parameter, const std::vector<int64_t>& shape, bool isProjection) const
    {
        const CategoryScope scope(MemoryCategory::weights);
        if (m_holding.fourBits && isProjection)
            parameter.packed = makeNf4Weight(shape, m_device, m_tables);
        else
            parameter.value = at::empty(shape, at::TensorOptions().device(m_device).dtype(m_holding.type));
    }

private:
    at::Device m_device;
    Holding m_holding;
    std::shared_ptr<const Nf4Tables> m_tables;
};

std::vector<float> inverseFrequencies(const RopeSpec& rope, int64_t headSize, bool beyondOriginal)
{
    const auto size = static_cast<float>(rotatedSize(rope, headSize));
    const auto divisors = ropeDivisors(rope, headSize, beyondOriginal);
    std::vector<float> frequencies;
    for (size_t i = 0; i < divisors.size(); ++i) {
        const float plain = 1.0F / std::pow(static_cast<float>(rope.theta), static_cast<float>(2 * i) / size);
        frequencies.push_back(static_cast<float>(plain / divisors[i]));
    }
    return frequencies;
}

/// Ropes and windows of the layers.
void giveRopes(Decoder& decoder)
{
    const ModelSpec& spec = decoder.spec;
    decoder.ropes.push_back(ropeFrequencies(spec.rope, spec.headSize));
    if (spec.slidingRope)
        decoder.ropes.push_back(ropeFrequencies(*spec.slidingRope, spec.headSize));
    for (size_t i = 0; i < decoder.layers.size(); ++i) {
        if (!spec.slides(static_cast<int64_t>(i)))
            continue;
        decoder.layers[i].window = spec.slidingWindow;
        decoder.layers[i].rope = decoder.ropes.size() - 1;
    }
}

} // namespace

std::vector<std::pair<std::string, Linear*>> DecoderLayer::projections()
{
    return { { "self_attn.q_proj", &query }, { "self_attn.k_proj", &key }, { "self_attn.v_proj", &value },
        { "self_attn.qkv_proj", &queryKeyValue }, { "self_attn.o_proj", &output }, { "mlp.gate_proj", &gate },
        { "mlp.up_proj", &up }, { "mlp.gate_up_proj", &gateUp }, { "mlp.down_proj", &down } };
}

void DecoderLayer::forEachBaseParameter(const std::function<void(Parameter&)>& body)
{
    const auto visit = [&](Parameter& parameter) {
        if (parameter.exists())
            body(parameter);
    };
    for (Parameter* norm : { &inputNorm, &queryNorm, &keyNorm, &attentionOutputNorm, &mlpInputNorm, &mlpOutputNorm })
        visit(*norm);
    for (auto& [name, projection] : projections()) {
        visit(projection->weight);
        visit(projection->bias);
    }
}

void Decoder::forEachBaseParameter(const std::function<void(Parameter&)>& body)
{
    body(embedding);
    for (DecoderLayer& layer : layers)
        layer.forEachBaseParameter(body);
    body(finalNorm);
    if (untiedHead.exists())
        body(untiedHead);
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
            if (projection->lora->magnitude.exists())
                trained.push_back(&projection->lora->magnitude);
        }
    }
    forEachBaseParameter([&](Parameter& parameter) {
        if (parameter.trained())
            trained.push_back(&parameter);
    });
    return trained;
}

Decoder makeDecoder(const ModelSpec& spec, at::Device device, const Holding& holding, at::ScalarType compute,
    const std::function<bool(std::string_view)>& isTrained)
{
    Decoder decoder { .spec = spec, .device = device, .compute = compute };
    decoder.layers.resize(static_cast<size_t>(spec.layers));
    const auto slots = parameterSlots(decoder);
    const ParameterMaker maker(device, holding);
    for (const TensorInfo& needed : neededTensors(spec)) {
        Parameter& parameter = *slots.at(needed.name);
        parameter.name = needed.name;
        parameter.products = holding.products;
        const bool outside = &parameter == &decoder.embedding || &parameter == &decoder.untiedHead;
        if (isTrained(needed.name))
            maker.makeTrained(parameter, needed.shape);
        else
            maker.makeFrozen(parameter, needed.shape, needed.shape.size() == 2 && !outside);
    }
    giveRopes(decoder);
    return decoder;
}

RopeFrequencies ropeFrequencies(const RopeSpec& rope, int64_t headSize)
{
    const bool byLength = rope.scaling == RopeSpec::Scaling::longrope;
    return {
        .usual = inverseFrequencies(rope, headSize, false),
        .beyondOriginal = byLength ? inverseFrequencies(rope, headSize, true) : std::vector<float>(),
        .originalContext = byLength ? rope.originalContext : 0,
        .factor = static_cast<float>(rope.attentionFactor),
    };
}

} // namespace tunebench
