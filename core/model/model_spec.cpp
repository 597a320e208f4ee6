#include "core/model/model_spec.h"

#include <cmath>

namespace tunebench {
namespace {

bool isSane(int64_t size, int64_t most)
{
    return size > 0 && size <= most;
}

/// Windows, scales and caps.
Result<void> checkAttention(const ModelSpec& spec, const std::string& place)
{
    if (spec.slidingWindow < 0 || (spec.slidingWindow == 0) != spec.slidingLayers.empty())
        return failure(place + " has an impossible sliding window: " + std::to_string(spec.slidingWindow) + ".");
    if (!spec.slidingLayers.empty() && std::ssize(spec.slidingLayers) != spec.layers)
        return failure(place + " gives layer types for " + std::to_string(spec.slidingLayers.size())
            + " layers, but has " + std::to_string(spec.layers) + ".");
    for (const auto& [name, value] : { std::pair("query_pre_attn_scalar", spec.queryScalar),
             { "attn_logit_softcapping", spec.attentionSoftcap }, { "final_logit_softcapping", spec.finalSoftcap } }) {
        if (!(value >= 0 && std::isfinite(value)))
            return failure(place + " has an impossible " + name + ".");
    }
    return {};
}

} // namespace

double ModelSpec::attentionScale() const
{
    return 1 / std::sqrt(queryScalar > 0 ? queryScalar : static_cast<double>(headSize));
}

void applyFamily(ModelSpec& spec, const ModelFamily& family)
{
    spec.family = family.name;
    spec.activation = family.activation;
    spec.queryKeyValueBias = family.queryKeyValueBias;
    spec.queryKeyNorm = family.queryKeyNorm;
    spec.normAddsOne = family.normAddsOne;
    spec.embeddingScaled = family.embeddingScaled;
    spec.outputNorms = family.outputNorms;
    spec.fusedProjections = family.fusedProjections;
}

Result<void> checkModelSpec(const ModelSpec& spec, std::string_view where)
{
    constexpr int64_t mostUnits = 1 << 24;
    const std::string place(where);
    for (const auto& [name, size] : { std::pair("hidden size", spec.hiddenSize), { "number of heads", spec.heads },
             { "number of key/value heads", spec.keyValueHeads }, { "head size", spec.headSize },
             { "size of the MLP", spec.intermediateSize }, { "size of the vocabulary", spec.vocabularySize } }) {
        if (!isSane(size, mostUnits))
            return failure(place + " has an impossible " + name + ": " + std::to_string(size) + ".");
    }
    if (!isSane(spec.layers, mostLayers))
        return failure(place + " has an impossible number of layers: " + std::to_string(spec.layers) + ".");
    if (!isSane(spec.contextLength, int64_t { 1 } << 40))
        return failure(place + " has an impossible context length: " + std::to_string(spec.contextLength) + ".");
    if (!isSane(spec.heads * spec.headSize, mostUnits) || spec.heads % spec.keyValueHeads != 0
        || spec.headSize % 2 != 0)
        return failure(place + " has " + std::to_string(spec.heads) + " heads of size " + std::to_string(spec.headSize)
            + " for " + std::to_string(spec.keyValueHeads) + " key/value heads, which does not fit.");
    if (!(spec.normEpsilon > 0 && spec.normEpsilon < 1))
        return failure(place + " has an impossible norm epsilon: it is not between 0 and 1.");
    if (auto checked = checkAttention(spec, place); !checked)
        return checked;
    return checkRopeSpec(spec.rope, spec.headSize, where).and_then([&] {
        return spec.slidingRope ? checkRopeSpec(*spec.slidingRope, spec.headSize, where) : Result<void>();
    });
}

std::vector<TensorInfo> neededTensors(const ModelSpec& spec)
{
    std::vector<TensorInfo> tensors;
    const auto add = [&tensors](std::string name, std::vector<int64_t> shape) {
        tensors.push_back({ std::move(name), StorageType::f32, std::move(shape) });
    };
    const auto addLinear = [&add](const std::string& name, int64_t outputs, int64_t inputs, bool bias) {
        add(name + ".weight", { outputs, inputs });
        if (bias)
            add(name + ".bias", { outputs });
    };
    const int64_t queries = spec.heads * spec.headSize;
    const int64_t keys = spec.keyValueHeads * spec.headSize;
    add("model.embed_tokens.weight", { spec.vocabularySize, spec.hiddenSize });
    const auto addAttention = [&](const std::string& layer) {
        add(layer + "input_layernorm.weight", { spec.hiddenSize });
        if (spec.fusedProjections) {
            addLinear(layer + "self_attn.qkv_proj", queries + 2 * keys, spec.hiddenSize, spec.queryKeyValueBias);
        } else {
            addLinear(layer + "self_attn.q_proj", queries, spec.hiddenSize, spec.queryKeyValueBias);
            addLinear(layer + "self_attn.k_proj", keys, spec.hiddenSize, spec.queryKeyValueBias);
        }
        if (spec.queryKeyNorm) {
            add(layer + "self_attn.q_norm.weight", { spec.headSize });
            add(layer + "self_attn.k_norm.weight", { spec.headSize });
        }
        if (!spec.fusedProjections)
            addLinear(layer + "self_attn.v_proj", keys, spec.hiddenSize, spec.queryKeyValueBias);
        addLinear(layer + "self_attn.o_proj", spec.hiddenSize, queries, spec.outputBias);
        add(layer + "post_attention_layernorm.weight", { spec.hiddenSize });
    };
    const auto addMlp = [&](const std::string& layer) {
        if (spec.outputNorms) {
            add(layer + "pre_feedforward_layernorm.weight", { spec.hiddenSize });
            add(layer + "post_feedforward_layernorm.weight", { spec.hiddenSize });
        }
        if (spec.fusedProjections) {
            addLinear(layer + "mlp.gate_up_proj", 2 * spec.intermediateSize, spec.hiddenSize, spec.mlpBias);
        } else {
            addLinear(layer + "mlp.gate_proj", spec.intermediateSize, spec.hiddenSize, spec.mlpBias);
            addLinear(layer + "mlp.up_proj", spec.intermediateSize, spec.hiddenSize, spec.mlpBias);
        }
        addLinear(layer + "mlp.down_proj", spec.hiddenSize, spec.intermediateSize, spec.mlpBias);
    };
    for (int64_t i = 0; i < spec.layers; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        addAttention(layer);
        addMlp(layer);
    }
    add("model.norm.weight", { spec.hiddenSize });
    if (!spec.tiedEmbeddings)
        add("lm_head.weight", { spec.vocabularySize, spec.hiddenSize });
    return tensors;
}

int64_t parameterCount(const ModelSpec& spec)
{
    int64_t count = 0;
    for (const TensorInfo& tensor : neededTensors(spec))
        count += elementCount(tensor.shape).value_or(0);
    return count;
}

} // namespace tunebench
