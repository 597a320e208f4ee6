#include "core/model/model_config.h"

#include "core/model/config_fields.h"
#include "core/model/model_family.h"
#include "core/model/rope_config.h"

#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

using nlohmann::json;
using SlidingWindow = ModelFamily::SlidingWindow;

constexpr const char* slidingType = "sliding_attention";
constexpr const char* fullType = "full_attention";
constexpr std::string_view siluName = "silu";
constexpr std::string_view geluTanhName = "gelu_pytorch_tanh";

/// The family's row, or nullptr when there is a problem.
const ModelFamily* readFamily(ConfigFields& fields)
{
    const std::string type = fields.text("model_type");
    const ModelFamily* family = familyByName(type);
    if (!family)
        fields.refuse("asks for the model type \"" + type + "\"; known are " + knownFamilies());
    return family;
}

/// A default that a family may lack (0).
std::optional<int64_t> given(int64_t value)
{
    return value > 0 ? std::optional(value) : std::nullopt;
}

void readSizes(ModelSpec& spec, ConfigFields& fields, const ModelFamily& family)
{
    spec.hiddenSize = fields.integer("hidden_size");
    spec.layers = fields.integer("num_hidden_layers");
    spec.heads = fields.integer("num_attention_heads", given(family.defaultHeads));
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
    spec.vocabularySize = fields.integer("vocab_size", given(family.defaultVocabulary));
    const bool noPadding = fields.has("pad_token_id") && !fields.find("pad_token_id");
    spec.paddingToken = noPadding ? -1 : fields.integer("pad_token_id", family.defaultPadding);
    if (spec.paddingToken < 0 && fields.find("pad_token_id"))
        spec.paddingToken += spec.vocabularySize; // as torch counts it
    spec.contextLength = fields.integer("max_position_embeddings", family.defaultContext);
    spec.normEpsilon = fields.number("rms_norm_eps", family.defaultNormEpsilon);
}

Activation readActivation(ConfigFields& fields, const ModelFamily& family)
{
    const std::string key(family.activationKey);
    const bool tanh = family.activation == Activation::geluTanh;
    const std::string name = fields.text(key.c_str(), std::string(tanh ? geluTanhName : siluName));
    if (name == siluName)
        return Activation::silu;
    // The first Gemma files say gelu and mean this (transformers, GemmaConfig).
    if (name != geluTanhName && !(family.name == "gemma" && name == "gelu"))
        fields.refuse("asks for the activation \"" + name + "\"; known are silu and gelu_pytorch_tanh");
    return Activation::geluTanh;
}

void readSwitches(ModelSpec& spec, ConfigFields& fields, const ModelFamily& family)
{
    applyFamily(spec, family);
    spec.tiedEmbeddings = fields.flag("tie_word_embeddings", family.defaultTied);
    if (family.attentionBiasOption)
        spec.queryKeyValueBias = spec.outputBias = fields.flag("attention_bias", false);
    if (family.mlpBiasOption)
        spec.mlpBias = fields.flag("mlp_bias", false);
    spec.activation = readActivation(fields, family);
    if (fields.flag("use_bidirectional_attention", false))
        fields.refuse("lets tokens see those after them (use_bidirectional_attention), so it writes no text");
}

/// A number that null switches off.
double readCap(ConfigFields& fields, const char* key, double usual)
{
    const double cap = fields.has(key) && !fields.find(key) ? 0 : fields.number(key, usual);
    if (cap == 0 && fields.find(key))
        fields.refuse(std::string("has a \"") + key + "\" of 0; leave it out");
    return cap;
}

void readAttentionNumbers(ModelSpec& spec, ConfigFields& fields, const ModelFamily& family)
{
    if (family.attentionSoftcapOption)
        spec.attentionSoftcap = readCap(fields, "attn_logit_softcapping", family.defaultAttentionSoftcap);
    if (family.finalSoftcapOption)
        spec.finalSoftcap = readCap(fields, "final_logit_softcapping", family.defaultFinalSoftcap);
    if (family.defaultQueryScalar == 0)
        return;
    spec.queryScalar = fields.number("query_pre_attn_scalar", family.defaultQueryScalar);
    if (spec.queryScalar <= 0)
        fields.refuse("has an impossible \"query_pre_attn_scalar\"");
    if (spec.queryScalar == static_cast<double>(spec.headSize))
        spec.queryScalar = 0; // as in the other families
}

/// Which layers have a window, where config.json has one.
std::vector<bool> windowedLayers(ConfigFields& fields, const ModelFamily& family, int64_t layers)
{
    std::vector<bool> sliding;
    if (family.slidingWindow != SlidingWindow::everyLayer && fields.find("layer_types")) {
        for (const std::string& type : fields.texts("layer_types")) {
            if (type != slidingType && type != fullType)
                fields.refuse(
                    "has a layer of the type \"" + type + "\"; known are " + slidingType + " and " + fullType);
            sliding.push_back(type == slidingType);
        }
        if (std::ssize(sliding) != layers)
            fields.refuse("has a \"layer_types\" with " + std::to_string(sliding.size()) + " entries for "
                + std::to_string(layers) + " layers");
        return sliding;
    }
    const int64_t first = family.slidingWindow == SlidingWindow::whenUsed ? fields.integer("max_window_layers", 28) : 0;
    const int64_t every
        = family.fullEvery > 0 ? fields.integer("sliding_window_pattern", family.fullEvery) : layers + 1;
    if (every <= 0)
        fields.refuse("has an impossible \"sliding_window_pattern\"");
    for (int64_t i = 0; i < layers && every > 0; ++i)
        sliding.push_back(i >= first && (i + 1) % every != 0);
    return sliding;
}

void readWindow(ModelSpec& spec, ConfigFields& fields, const ModelFamily& family)
{
    const bool unused = family.slidingWindow == SlidingWindow::whenUsed && !fields.flag("use_sliding_window", false);
    if (family.slidingWindow == SlidingWindow::never || unused)
        return;
    const bool none = fields.has("sliding_window") ? !fields.find("sliding_window") : family.defaultWindow == 0;
    const int64_t window = none ? 0 : fields.integer("sliding_window", family.defaultWindow);
    if (!none && window <= 0)
        fields.refuse("has an impossible \"sliding_window\"");
    const auto sliding = windowedLayers(fields, family, spec.layers);
    const bool some = std::ranges::find(sliding, true) != sliding.end();
    if (none && some && spec.slidingRope)
        fields.refuse("has layers of the type sliding_attention, but no sliding_window");
    if (none || !some)
        return;
    spec.slidingWindow = window;
    spec.slidingLayers = sliding;
}

void readRopesAndWindow(ModelSpec& spec, ConfigFields& fields, const ModelFamily& family)
{
    Ropes ropes = readRopes(fields, family, spec.contextLength);
    if (ropes.sliding && *ropes.sliding != ropes.full)
        spec.slidingRope = std::move(ropes.sliding);
    spec.rope = std::move(ropes.full);
    readWindow(spec, fields, family);
    if (spec.slidingLayers.empty())
        spec.slidingRope.reset();
}

void writeWindow(nlohmann::ordered_json& config, const ModelSpec& spec, const ModelFamily& family)
{
    config["sliding_window"] = spec.slidingWindow > 0 ? nlohmann::ordered_json(spec.slidingWindow) : nullptr;
    if (family.slidingWindow == SlidingWindow::everyLayer)
        return;
    if (family.slidingWindow == SlidingWindow::whenUsed)
        config["use_sliding_window"] = spec.slidingWindow > 0;
    auto& types = config["layer_types"] = nlohmann::ordered_json::array();
    for (int64_t i = 0; i < spec.layers; ++i)
        types.push_back(spec.slides(i) ? slidingType : fullType);
}

} // namespace

const json& textConfig(const json& config)
{
    constexpr std::string_view withImages = "gemma3";
    const auto type = config.find("model_type");
    const auto text = config.find("text_config");
    const bool isPart = type != config.end() && *type == withImages && text != config.end() && text->is_object();
    return isPart ? *text : config;
}

Result<ModelSpec> modelSpecFromConfig(const json& config, std::string_view where)
{
    const std::string place(where);
    if (!config.is_object())
        return failure(place + " is not a JSON object.");
    std::optional<std::string> problem;
    ConfigFields fields(textConfig(config), place, problem);
    if (const auto quantised = config.find("quantization_config"); quantised != config.end() && !quantised->is_null())
        fields.refuse("describes quantised weights (quantization_config), which are not read; take the unquantised "
                      "model or a GGUF file");
    ModelSpec spec;
    if (const ModelFamily* family = readFamily(fields)) {
        readSizes(spec, fields, *family);
        readSwitches(spec, fields, *family);
        readAttentionNumbers(spec, fields, *family);
        auto checked = problem ? Result<void>() : checkModelSpec(spec, place);
        if (checked && !problem) {
            readRopesAndWindow(spec, fields, *family);
            checked = checkModelSpec(spec, place);
        }
        if (!problem && !checked)
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
        { std::string(family->activationKey), spec.activation == Activation::silu ? siluName : geluTanhName },
        { "hidden_size", spec.hiddenSize },
        { "intermediate_size", spec.intermediateSize },
        { "max_position_embeddings", spec.contextLength },
        { "model_type", spec.family },
        { "num_attention_heads", spec.heads },
        { "num_hidden_layers", spec.layers },
        { "num_key_value_heads", spec.keyValueHeads },
        { "pad_token_id", spec.paddingToken >= 0 ? nlohmann::ordered_json(spec.paddingToken) : nullptr },
        { "rms_norm_eps", spec.normEpsilon },
        { "tie_word_embeddings", spec.tiedEmbeddings },
        { "vocab_size", spec.vocabularySize },
    };
    writeRopes(config, spec, *family);
    const auto capOrNull = [](double cap) { return cap > 0 ? nlohmann::ordered_json(cap) : nullptr; };
    if (family->attentionBiasOption)
        config["attention_bias"] = spec.queryKeyValueBias;
    if (family->mlpBiasOption)
        config["mlp_bias"] = spec.mlpBias;
    if (family->attentionSoftcapOption)
        config["attn_logit_softcapping"] = capOrNull(spec.attentionSoftcap);
    if (family->finalSoftcapOption)
        config["final_logit_softcapping"] = capOrNull(spec.finalSoftcap);
    if (family->defaultQueryScalar > 0) // transformers takes whole numbers alone
        config["query_pre_attn_scalar"] = spec.queryScalar > 0 ? std::llround(spec.queryScalar) : spec.headSize;
    if (family->slidingWindow != SlidingWindow::never)
        writeWindow(config, spec, *family);
    return config;
}

} // namespace tunebench
