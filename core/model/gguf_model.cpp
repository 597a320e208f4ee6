#include "core/model/gguf_model.h"

#include "core/model/dequantize.h"
#include "core/model/model_family.h"
#include "core/model/rope_fit.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

constexpr std::string_view ropeFactors = "rope_freqs.weight";

struct NamePair {
    std::string_view gguf;
    std::string_view transformers;
};

/// Modules outside the blocks (gguf-py, constants.py, MODEL_TENSOR).
constexpr std::array modelNames = {
    NamePair { "token_embd", "model.embed_tokens" },
    NamePair { "output_norm", "model.norm" },
    NamePair { "output", "lm_head" },
};

/// Modules of a block, after "blk.N." and "model.layers.N.".
constexpr std::array blockNames = {
    NamePair { "attn_norm", "input_layernorm" },
    NamePair { "attn_q", "self_attn.q_proj" },
    NamePair { "attn_k", "self_attn.k_proj" },
    NamePair { "attn_q_norm", "self_attn.q_norm" },
    NamePair { "attn_k_norm", "self_attn.k_norm" },
    NamePair { "attn_v", "self_attn.v_proj" },
    NamePair { "attn_output", "self_attn.o_proj" },
    NamePair { "ffn_norm", "post_attention_layernorm" },
    NamePair { "ffn_gate", "mlp.gate_proj" },
    NamePair { "ffn_up", "mlp.up_proj" },
    NamePair { "ffn_down", "mlp.down_proj" },
};

/// transformers' name, or the file's own for a tensor that no known model has.
std::string transformersName(std::string_view name)
{
    const size_t suffix = name.rfind('.'); // ".weight" or ".bias"
    if (suffix == std::string_view::npos)
        return std::string(name);
    std::string_view module = name.substr(0, suffix);
    std::span<const NamePair> names = modelNames;
    std::string prefix;
    if (const size_t layerEnd = module.find('.', 4); module.starts_with("blk.") && layerEnd != std::string_view::npos) {
        prefix = "model.layers." + std::string(module.substr(4, layerEnd - 4)) + ".";
        module.remove_prefix(layerEnd + 1);
        names = blockNames;
    }
    const auto pair = std::ranges::find(names, module, &NamePair::gguf);
    if (pair == names.end())
        return std::string(name);
    return prefix + std::string(pair->transformers) + std::string(name.substr(suffix));
}

const TensorInfo* findTensor(const GgufFile& file, std::string_view name)
{
    const auto place = std::ranges::find(file.tensors(), name, &TensorInfo::name);
    return place == file.tensors().end() ? nullptr : &*place;
}

/// Reads `<architecture>.<key>` numbers. The first one that is missing or wrong stays.
class Keys {
public:
    Keys(const GgufFile& file, std::string_view architecture)
        : m_file(file)
        , m_prefix(std::string(architecture) + ".")
    {
    }

    int64_t integer(const std::string& key, std::optional<int64_t> fallback = {})
    {
        return value(key, fallback, m_file.integer(m_prefix + key));
    }

    double number(const std::string& key, std::optional<double> fallback = {})
    {
        return value(key, fallback, m_file.number(m_prefix + key));
    }

    std::string text(const std::string& key, const std::string& fallback)
    {
        return value(key, std::optional(fallback), m_file.text(m_prefix + key));
    }

    /// Notes a key whose value asks for something that is not known.
    void refuse(const std::string& key, const std::string& reason)
    {
        if (m_problem.empty())
            m_problem = m_file.path().string() + " has a \"" + m_prefix + key + "\" " + reason + ".";
    }

    const std::string& problem() const { return m_problem; }

private:
    template <class T> T value(const std::string& key, const std::optional<T>& fallback, const std::optional<T>& found)
    {
        if (found)
            return *found;
        if (m_file.find(m_prefix + key))
            refuse(key, "of a kind that is not known");
        else if (!fallback && m_problem.empty())
            m_problem = m_file.path().string() + " lacks the key \"" + m_prefix + key + "\".";
        return fallback.value_or(T {});
    }

    const GgufFile& m_file;
    std::string m_prefix;
    std::string m_problem;
};

void readSizes(ModelSpec& spec, Keys& keys, const GgufFile& file)
{
    spec.hiddenSize = keys.integer("embedding_length");
    spec.layers = keys.integer("block_count");
    spec.heads = keys.integer("attention.head_count");
    spec.keyValueHeads = keys.integer("attention.head_count_kv", spec.heads);
    spec.headSize = keys.integer("attention.key_length", spec.heads > 0 ? spec.hiddenSize / spec.heads : 0);
    spec.intermediateSize = keys.integer("feed_forward_length");
    spec.contextLength = keys.integer("context_length");
    spec.normEpsilon = keys.number("attention.layer_norm_rms_epsilon");
    if (const TensorInfo* embedding = findTensor(file, "token_embd.weight"); embedding && !embedding->shape.empty())
        spec.vocabularySize = embedding->shape.front();
    if (keys.integer("attention.value_length", spec.headSize) != spec.headSize)
        keys.refuse("attention.value_length", "that differs from its key length, which is not known");
    if (keys.integer("rope.dimension_count", spec.headSize) != spec.headSize)
        keys.refuse("rope.dimension_count", "smaller than a head, which is not known");
    if (keys.integer("expert_count", 0) != 0)
        keys.refuse("expert_count", "above 0: mixtures of experts are not known");
    if (const int64_t window = keys.integer("attention.sliding_window", 0); window > 0)
        spec.contextLength = std::min(spec.contextLength, window); // shorter rows see all of themselves
}

void readRope(ModelSpec& spec, Keys& keys)
{
    spec.rope.theta = keys.number("rope.freq_base", 10000);
    const std::string type = keys.text("rope.scaling.type", "none");
    if (type == "linear") {
        spec.rope.scaling = RopeSpec::Scaling::linear;
        spec.rope.factor = keys.number("rope.scaling.factor");
    } else if (type != "none") {
        keys.refuse("rope.scaling.type", "\"" + type + "\"; known are none, linear and llama3");
    }
}

/// Finds the llama3 scaling behind the factors that llama.cpp's converter has stored.
Result<void> readRopeFactors(ModelSpec& spec, const GgufFile& file)
{
    const TensorInfo* tensor = findTensor(file, ropeFactors);
    if (!tensor)
        return {};
    const auto index = static_cast<size_t>(tensor - file.tensors().data());
    if (tensor->type != StorageType::f32 || tensor->shape != std::vector { spec.headSize / 2 })
        return failure(file.path().string() + " has a " + std::string(ropeFactors) + " of a wrong type or shape.");
    std::vector<float> factors(static_cast<size_t>(tensor->shape.front()));
    dequantize(tensor->type, file.bytes(index), factors);
    const auto rope = fitLlama3(factors, spec.rope.theta, spec.headSize);
    if (!rope || spec.rope.scaling != RopeSpec::Scaling::none)
        return failure(file.path().string() + " has rope factors (" + std::string(ropeFactors)
            + ") that are not those of llama3 scaling, which are the only ones known.");
    spec.rope = *rope;
    return {};
}

} // namespace

Result<ModelSpec> modelSpecFromGguf(const GgufFile& file)
{
    const std::string where = file.path().string();
    const std::string architecture = file.text("general.architecture").value_or("");
    const ModelFamily* family = familyByArchitecture(architecture);
    if (!family)
        return failure(where + " has the architecture \"" + architecture + "\"; known are " + knownFamilies() + ".");
    ModelSpec spec;
    spec.family = family->name;
    Keys keys(file, architecture);
    readSizes(spec, keys, file);
    readRope(spec, keys);
    if (!keys.problem().empty())
        return failure(keys.problem());
    if (spec.vocabularySize == 0)
        return failure(where + " has no token_embd.weight, so it is no whole model.");
    spec.tiedEmbeddings = !findTensor(file, "output.weight");
    spec.queryKeyNorm = family->queryKeyNorm;
    spec.queryKeyValueBias
        = family->attentionBiasOption ? findTensor(file, "blk.0.attn_q.bias") != nullptr : family->queryKeyValueBias;
    spec.outputBias = family->attentionBiasOption && findTensor(file, "blk.0.attn_output.bias");
    spec.mlpBias = family->mlpBiasOption && findTensor(file, "blk.0.ffn_up.bias");
    auto checked = checkModelSpec(spec, where);
    if (checked)
        checked = readRopeFactors(spec, file);
    if (!checked)
        return tl::unexpected(checked.error());
    return spec;
}

Result<std::unique_ptr<StoredWeights>> openGgufWeights(std::shared_ptr<const GgufFile> file, const ModelSpec& spec)
{
    const ModelFamily* family = familyByName(spec.family);
    std::map<std::string, StoredTensor> found;
    for (size_t i = 0; i < file->tensors().size(); ++i) {
        StoredTensor tensor { file->tensors()[i], file->bytes(i) };
        if (tensor.info.name == ropeFactors)
            continue;
        const std::string name = transformersName(tensor.info.name);
        const bool rotated = name.find(".q_proj.") != std::string::npos || name.find(".k_proj.") != std::string::npos;
        if (rotated && family->interleavedInGguf)
            tensor.interleavedHeadSize = spec.headSize;
        found.emplace(name, std::move(tensor));
    }
    const std::string where = file->path().string();
    return StoredWeights::bind(spec, std::move(found), std::move(file), where);
}

} // namespace tunebench
