#include "core/model/model_spec.h"

#include "core/model/model_family.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

namespace tunebench {
namespace {

using nlohmann::json;

/// Reads the fields of a JSON object. The first problem stays, and what is read after it does not matter.
class Fields {
public:
    /// `where` begins the sentence that goes into `problem`.
    Fields(const json& object, std::string where, std::optional<std::string>& problem)
        : m_object(object)
        , m_where(std::move(where))
        , m_problem(problem)
    {
    }

    /// Reads another object of the same file.
    Fields inside(const json& object) const { return { object, m_where, m_problem }; }

    bool has(const char* key) const { return m_object.contains(key); }

    /// The value, or nullptr where it is missing or null.
    const json* find(const char* key) const
    {
        const auto place = m_object.find(key);
        return place == m_object.end() || place->is_null() ? nullptr : &*place;
    }

    int64_t integer(const char* key, std::optional<int64_t> fallback = {})
    {
        return value<int64_t>(key, fallback, &json::is_number_integer, "a whole number");
    }

    double number(const char* key, std::optional<double> fallback = {})
    {
        return value<double>(key, fallback, &json::is_number, "a number");
    }

    bool flag(const char* key, bool fallback) { return value<bool>(key, fallback, &json::is_boolean, "true or false"); }

    std::string text(const char* key, std::optional<std::string> fallback = {})
    {
        return value<std::string>(key, std::move(fallback), &json::is_string, "text");
    }

    void refuse(const std::string& reason)
    {
        if (!m_problem)
            m_problem = m_where + " " + reason + ".";
    }

private:
    template <class T>
    T value(const char* key, std::optional<T> fallback, bool (json::*hasKind)() const noexcept, const char* kind)
    {
        const json* found = find(key);
        if (!found && fallback)
            return *fallback;
        if (!found)
            refuse(std::string("has no \"") + key + "\"");
        else if (!(found->*hasKind)())
            refuse(std::string("has a \"") + key + "\" that is not " + kind);
        else
            return found->get<T>();
        return {};
    }

    const json& m_object;
    std::string m_where;
    std::optional<std::string>& m_problem;
};

/// The object with the rope's numbers; as in transformers, rope_scaling wins where both are given.
const json& ropeObject(Fields& fields)
{
    static const json none = json::object();
    for (const char* key : { "rope_scaling", "rope_parameters" }) {
        const json* found = fields.find(key);
        if (found && !found->is_object())
            fields.refuse(std::string("has a \"") + key + "\" that is not an object");
        else if (found && !found->empty())
            return *found;
    }
    return none;
}

RopeSpec readRope(Fields& fields, int64_t contextLength)
{
    Fields rope = fields.inside(ropeObject(fields));
    RopeSpec spec;
    spec.theta = rope.number("rope_theta", fields.number("rope_theta", spec.theta));
    const std::string type = rope.text("rope_type", rope.text("type", "default"));
    if (type == "linear" || type == "llama3") {
        spec.scaling = type == "linear" ? RopeSpec::Scaling::linear : RopeSpec::Scaling::llama3;
        spec.factor = rope.number("factor");
    } else if (type != "default") {
        rope.refuse("asks for the rope type \"" + type + "\"; known are default, linear and llama3");
    }
    if (type == "llama3") {
        spec.lowFrequencyFactor = rope.number("low_freq_factor");
        spec.highFrequencyFactor = rope.number("high_freq_factor");
        spec.originalContext = rope.integer("original_max_position_embeddings", contextLength);
    }
    if (rope.number("partial_rotary_factor", fields.number("partial_rotary_factor", 1)) != 1)
        rope.refuse("rotates only a part of each head (partial_rotary_factor), which is not known");
    return spec;
}

/// The family's row, or nullptr when there is a problem.
const ModelFamily* readFamily(Fields& fields)
{
    const std::string type = fields.text("model_type");
    const ModelFamily* family = familyByName(type);
    if (!family)
        fields.refuse("asks for the model type \"" + type + "\"; known are " + knownFamilies());
    return family;
}

void readSizes(ModelSpec& spec, Fields& fields, const ModelFamily& family)
{
    spec.hiddenSize = fields.integer("hidden_size");
    spec.layers = fields.integer("num_hidden_layers");
    spec.heads = fields.integer("num_attention_heads");
    const bool asManyAsHeads = fields.has("num_key_value_heads") || family.defaultKeyValueHeads == 0;
    spec.keyValueHeads
        = fields.integer("num_key_value_heads", asManyAsHeads ? spec.heads : family.defaultKeyValueHeads);
    const bool divisible = spec.heads > 0 && spec.hiddenSize % spec.heads == 0;
    const int64_t dividedSize = divisible ? spec.hiddenSize / spec.heads : 0;
    const int64_t usualHeadSize = family.defaultHeadSize > 0 ? family.defaultHeadSize : dividedSize;
    if (!fields.find("head_dim") && usualHeadSize == 0)
        fields.refuse("has a hidden_size that is no multiple of num_attention_heads, and no head_dim");
    spec.headSize = fields.integer("head_dim", usualHeadSize);
    spec.intermediateSize = fields.integer("intermediate_size");
    spec.vocabularySize = fields.integer("vocab_size");
    spec.contextLength = fields.integer("max_position_embeddings", family.defaultContext);
}

void readSwitches(ModelSpec& spec, Fields& fields, const ModelFamily& family)
{
    spec.tiedEmbeddings = fields.flag("tie_word_embeddings", false);
    spec.queryKeyValueBias = family.queryKeyValueBias;
    spec.queryKeyNorm = family.queryKeyNorm;
    if (family.attentionBiasOption)
        spec.queryKeyValueBias = spec.outputBias = fields.flag("attention_bias", false);
    if (family.mlpBiasOption)
        spec.mlpBias = fields.flag("mlp_bias", false);
    if (const std::string activation = fields.text("hidden_act", "silu"); activation != "silu")
        fields.refuse("asks for the activation \"" + activation + "\"; known is silu");
}

/// Whether some layer looks back a window only: Qwen's later ones (from max_window_layers, or as layer_types says)
/// where they are told to, Mistral's all.
bool usesSlidingWindow(Fields& fields, const ModelFamily& family, int64_t layers)
{
    using SlidingWindow = ModelFamily::SlidingWindow;
    if (family.slidingWindow == SlidingWindow::never
        || (family.slidingWindow == SlidingWindow::whenUsed && !fields.flag("use_sliding_window", false)))
        return false;
    if (const json* types = fields.find("layer_types"))
        return *types != json(std::vector<std::string>(static_cast<size_t>(layers), "full_attention"));
    return family.slidingWindow == SlidingWindow::whenGiven || fields.integer("max_window_layers", 28) < layers;
}

/// Rows that are no longer than the window see all of themselves, so the window bounds the context.
void boundBySlidingWindow(ModelSpec& spec, Fields& fields, const ModelFamily& family)
{
    constexpr int64_t usualWindow = 4096; // of a config.json that does not say it
    if (usesSlidingWindow(fields, family, spec.layers)
        && (!fields.has("sliding_window") || fields.find("sliding_window")))
        spec.contextLength = std::min(spec.contextLength, fields.integer("sliding_window", usualWindow));
}

bool isSane(int64_t size, int64_t most)
{
    return size > 0 && size <= most;
}

} // namespace

Result<ModelSpec> modelSpecFromConfig(const json& config, std::string_view where)
{
    const std::string place(where);
    if (!config.is_object())
        return failure(place + " is not a JSON object.");
    std::optional<std::string> problem;
    Fields fields(config, place, problem);
    if (fields.find("quantization_config"))
        fields.refuse("describes quantised weights (quantization_config), which are not read; take the unquantised "
                      "model or a GGUF file");
    ModelSpec spec;
    if (const ModelFamily* family = readFamily(fields)) {
        spec.family = family->name;
        readSizes(spec, fields, *family);
        readSwitches(spec, fields, *family);
        spec.normEpsilon = fields.number("rms_norm_eps", 1e-6);
        spec.rope = readRope(fields, spec.contextLength);
        if (!problem)
            boundBySlidingWindow(spec, fields, *family);
        if (auto checked = checkModelSpec(spec, place); !problem && !checked)
            return tl::unexpected(checked.error());
    }
    if (problem)
        return failure(*problem);
    return spec;
}

nlohmann::ordered_json configFromModelSpec(const ModelSpec& spec)
{
    const ModelFamily* family = familyByName(spec.family);
    nlohmann::ordered_json config = {
        { "architectures", { family->modelClass } },
        { "head_dim", spec.headSize },
        { "hidden_act", "silu" },
        { "hidden_size", spec.hiddenSize },
        { "intermediate_size", spec.intermediateSize },
        { "max_position_embeddings", spec.contextLength },
        { "model_type", spec.family },
        { "num_attention_heads", spec.heads },
        { "num_hidden_layers", spec.layers },
        { "num_key_value_heads", spec.keyValueHeads },
        { "rms_norm_eps", spec.normEpsilon },
        { "rope_scaling", nullptr },
        { "rope_theta", spec.rope.theta },
        { "tie_word_embeddings", spec.tiedEmbeddings },
        { "vocab_size", spec.vocabularySize },
    };
    if (family->attentionBiasOption)
        config["attention_bias"] = spec.queryKeyValueBias;
    if (family->mlpBiasOption)
        config["mlp_bias"] = spec.mlpBias;
    if (family->slidingWindow == ModelFamily::SlidingWindow::whenGiven)
        config["sliding_window"] = nullptr; // contextLength says it
    const RopeSpec& rope = spec.rope;
    if (rope.scaling != RopeSpec::Scaling::none)
        config["rope_scaling"] = { { "rope_type", rope.scaling == RopeSpec::Scaling::linear ? "linear" : "llama3" },
            { "factor", rope.factor } };
    if (rope.scaling == RopeSpec::Scaling::llama3)
        config["rope_scaling"].update(
            { { "low_freq_factor", rope.lowFrequencyFactor }, { "high_freq_factor", rope.highFrequencyFactor },
                { "original_max_position_embeddings", rope.originalContext } });
    return config;
}

Result<void> checkModelSpec(const ModelSpec& spec, std::string_view where)
{
    constexpr int64_t mostUnits = 1 << 24;
    constexpr int64_t mostLayers = 4096;
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
    const RopeSpec& rope = spec.rope;
    if (!(spec.normEpsilon > 0 && spec.normEpsilon < 1) || !(rope.theta > 1 && std::isfinite(rope.theta))
        || !(rope.factor > 0 && std::isfinite(rope.factor)))
        return failure(place + " has an impossible norm epsilon, rope theta or rope factor.");
    if (rope.scaling == RopeSpec::Scaling::llama3
        && !(rope.highFrequencyFactor > rope.lowFrequencyFactor && rope.lowFrequencyFactor > 0
            && rope.originalContext > 0))
        return failure(place + " has llama3 rope numbers that do not fit one another.");
    return {};
}

std::vector<double> ropeDivisors(const RopeSpec& rope, int64_t headSize)
{
    std::vector<double> divisors(static_cast<size_t>(headSize / 2), 1.0);
    if (rope.scaling == RopeSpec::Scaling::linear)
        std::ranges::fill(divisors, rope.factor);
    if (rope.scaling != RopeSpec::Scaling::llama3)
        return divisors;
    const auto context = static_cast<double>(rope.originalContext);
    for (size_t i = 0; i < divisors.size(); ++i) {
        const double exponent = 2 * static_cast<double>(i) / static_cast<double>(headSize);
        const double wavelength = 2 * std::numbers::pi * std::pow(rope.theta, exponent); // tokens
        // 0: slower than the low frequency bound; 1: faster than the high one.
        const double smooth = std::clamp(
            (context / wavelength - rope.lowFrequencyFactor) / (rope.highFrequencyFactor - rope.lowFrequencyFactor),
            0.0, 1.0);
        divisors[i] = 1 / ((1 - smooth) / rope.factor + smooth);
    }
    return divisors;
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
    for (int64_t i = 0; i < spec.layers; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        add(layer + "input_layernorm.weight", { spec.hiddenSize });
        addLinear(layer + "self_attn.q_proj", queries, spec.hiddenSize, spec.queryKeyValueBias);
        addLinear(layer + "self_attn.k_proj", keys, spec.hiddenSize, spec.queryKeyValueBias);
        if (spec.queryKeyNorm) {
            add(layer + "self_attn.q_norm.weight", { spec.headSize });
            add(layer + "self_attn.k_norm.weight", { spec.headSize });
        }
        addLinear(layer + "self_attn.v_proj", keys, spec.hiddenSize, spec.queryKeyValueBias);
        addLinear(layer + "self_attn.o_proj", spec.hiddenSize, queries, spec.outputBias);
        add(layer + "post_attention_layernorm.weight", { spec.hiddenSize });
        addLinear(layer + "mlp.gate_proj", spec.intermediateSize, spec.hiddenSize, spec.mlpBias);
        addLinear(layer + "mlp.up_proj", spec.intermediateSize, spec.hiddenSize, spec.mlpBias);
        addLinear(layer + "mlp.down_proj", spec.hiddenSize, spec.intermediateSize, spec.mlpBias);
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
