#include "core/model/rope_config.h"

#include <algorithm>
#include <array>

namespace tunebench {
namespace {

using nlohmann::json;
using Scaling = RopeSpec::Scaling;

struct ScalingName {
    std::string_view name;
    Scaling scaling;
};

/// dynamic stretches only rows beyond the context, and no row exceeds that.
constexpr std::array scalingNames = {
    ScalingName { "default", Scaling::none },
    ScalingName { "linear", Scaling::linear },
    ScalingName { "dynamic", Scaling::none },
    ScalingName { "llama3", Scaling::llama3 },
    ScalingName { "yarn", Scaling::yarn },
    ScalingName { "longrope", Scaling::longrope },
};

/// Reads one rope's object.
class RopeReader {
public:
    RopeReader(const json& object, ConfigFields& config, const ModelFamily& family, int64_t contextLength)
        : m_rope(config.inside(object))
        , m_config(config)
        , m_family(family)
        , m_context(contextLength)
    {
    }

    RopeSpec read(double theta)
    {
        RopeSpec spec;
        spec.theta = m_rope.number("rope_theta", theta);
        readScaling(spec);
        const double share = m_rope.number("partial_rotary_factor", m_config.number("partial_rotary_factor", 1));
        if (share != 1 && !m_family.partialRotation)
            m_rope.refuse("rotates only a part of each head (partial_rotary_factor), which is not known of this model");
        spec.rotatedShare = share;
        return spec;
    }

private:
    void readScaling(RopeSpec& spec)
    {
        std::string type = m_rope.text("rope_type", m_rope.text("type", "default"));
        // Early files of this family have its scaling under other names (transformers, Phi3Config).
        if (m_family.defaultOriginalContext > 0 && (type == "su" || type == "yarn"))
            type = "longrope";
        const auto known = std::ranges::find(scalingNames, std::string_view(type), &ScalingName::name);
        if (known == scalingNames.end())
            return m_rope.refuse("asks for the rope type \"" + type
                + "\"; known are default, linear, dynamic, llama3, yarn and longrope");
        spec.scaling = known->scaling;
        if (type == "linear" || type == "dynamic" || type == "llama3") {
            const double factor = m_rope.number("factor");
            spec.factor = type == "dynamic" ? 1 : factor;
        }
        if (type == "llama3") {
            spec.lowFrequencyFactor = m_rope.number("low_freq_factor");
            spec.highFrequencyFactor = m_rope.number("high_freq_factor");
        }
        if (type == "llama3" || type == "yarn" || type == "longrope")
            spec.originalContext = originalContext();
        if (type == "yarn")
            readYarn(spec);
        if (type == "longrope")
            readLongrope(spec);
    }

    /// It may stand beside the rope's numbers, and wins there.
    int64_t originalContext()
    {
        constexpr const char* key = "original_max_position_embeddings";
        if (m_config.find(key) || m_family.defaultOriginalContext > 0)
            return m_config.integer(key, m_family.defaultOriginalContext);
        return m_rope.integer(key, m_context);
    }

    double stretch(const RopeSpec& spec)
    {
        const auto original = static_cast<double>(std::max<int64_t>(spec.originalContext, 1));
        return m_rope.number("factor", static_cast<double>(m_context) / original);
    }

    void readYarn(RopeSpec& spec)
    {
        spec.factor = stretch(spec);
        const double scale = m_rope.number("mscale", 0);
        const double scaleAll = m_rope.number("mscale_all_dim", 0);
        const double usual = scale != 0 && scaleAll != 0
            ? yarnAttentionFactor(spec.factor, scale) / yarnAttentionFactor(spec.factor, scaleAll)
            : yarnAttentionFactor(spec.factor);
        spec.attentionFactor = m_rope.number("attention_factor", usual);
        const auto orUsual = [](double value, double usualValue) { return value == 0 ? usualValue : value; };
        spec.betaFast = orUsual(m_rope.number("beta_fast", spec.betaFast), spec.betaFast);
        spec.betaSlow = orUsual(m_rope.number("beta_slow", spec.betaSlow), spec.betaSlow);
        spec.truncate = m_rope.flag("truncate", spec.truncate);
    }

    void readLongrope(RopeSpec& spec)
    {
        spec.shortFactors = m_rope.numbers("short_factor");
        spec.longFactors = m_rope.numbers("long_factor");
        const double usual = longropeAttentionFactor(stretch(spec), std::max<int64_t>(spec.originalContext, 2));
        spec.attentionFactor = m_rope.number("attention_factor", usual);
    }

    ConfigFields m_rope;
    ConfigFields& m_config;
    const ModelFamily& m_family;
    int64_t m_context;
};

nlohmann::ordered_json scalingObject(const RopeSpec& rope)
{
    const auto name = std::ranges::find(scalingNames, rope.scaling, &ScalingName::scaling)->name;
    nlohmann::ordered_json object = { { "rope_type", name } };
    const auto add = [&object](const nlohmann::ordered_json& numbers) { object.update(numbers); };
    if (rope.scaling == Scaling::linear || rope.scaling == Scaling::llama3 || rope.scaling == Scaling::yarn)
        add({ { "factor", rope.factor } });
    if (rope.scaling == Scaling::llama3)
        add({ { "low_freq_factor", rope.lowFrequencyFactor }, { "high_freq_factor", rope.highFrequencyFactor } });
    if (rope.scaling == Scaling::yarn)
        add({ { "beta_fast", rope.betaFast }, { "beta_slow", rope.betaSlow }, { "truncate", rope.truncate } });
    if (rope.scaling == Scaling::longrope)
        add({ { "short_factor", rope.shortFactors }, { "long_factor", rope.longFactors } });
    if (rope.scaling == Scaling::yarn || rope.scaling == Scaling::longrope)
        add({ { "attention_factor", rope.attentionFactor } });
    if (rope.originalContext > 0)
        add({ { "original_max_position_embeddings", rope.originalContext } });
    return object;
}

} // namespace

Ropes readRopes(ConfigFields& config, const ModelFamily& family, int64_t contextLength)
{
    const bool local = family.defaultLocalTheta > 0;
    json full = config.object("rope_parameters");
    json sliding = json::object();
    bool byLayerType = local;
    for (const char* type : { "full_attention", "sliding_attention" })
        byLayerType = byLayerType || full.contains(type);
    if (byLayerType) {
        ConfigFields types = config.inside(full);
        sliding = types.object("sliding_attention");
        full = json(types.object("full_attention"));
    }
    if (const json scaling = config.object("rope_scaling"); local)
        full.update(scaling);
    else if (!scaling.empty())
        full = scaling;
    const double theta = config.number("rope_theta", family.defaultTheta);
    Ropes ropes { RopeReader(full, config, family, contextLength).read(theta), {} };
    if (byLayerType) {
        const double localTheta = local ? config.number("rope_local_base_freq", family.defaultLocalTheta) : theta;
        ropes.sliding = RopeReader(sliding, config, family, contextLength).read(localTheta);
    }
    return ropes;
}

void writeRopes(nlohmann::ordered_json& config, const ModelSpec& spec, const ModelFamily& family)
{
    const RopeSpec& rope = spec.rope;
    config["rope_theta"] = rope.theta;
    config["rope_scaling"] = nullptr;
    if (rope.scaling != Scaling::none)
        config["rope_scaling"] = scalingObject(rope);
    if (family.partialRotation)
        config["partial_rotary_factor"] = rope.rotatedShare;
    if (family.defaultOriginalContext > 0 && rope.originalContext > 0)
        config["original_max_position_embeddings"] = rope.originalContext;
    if (family.defaultLocalTheta > 0)
        config["rope_local_base_freq"] = spec.slidingRope.value_or(rope).theta;
}

} // namespace tunebench
