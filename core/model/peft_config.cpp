#include "core/model/peft_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace tunebench {
namespace {

using nlohmann::json;

/// Settings of LoraConfig that change what an adapter computes. Each must be off: null, false, 0, "none" or empty.
constexpr std::array unsupported = { "rank_pattern", "alpha_pattern", "bias", "fan_in_fan_out", "lora_bias",
    "layers_to_transform", "exclude_modules", "target_parameters", "trainable_token_indices", "layer_replication",
    "use_qalora", "use_bdlora", "alora_invocation_tokens", "arrow_config", "kasa_config", "velora_config",
    "monteclora_config" };

bool isOff(const json& value)
{
    return value.is_null() || value == false || value == "none" || (value.is_number() && value == 0)
        || (value.is_structured() && value.empty());
}

/// A value for a message; lists and objects may be of any depth and are not spelled out.
std::string shown(const json& value)
{
    return value.is_structured() ? "a list or an object" : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Ways of drawing a fresh adapter that leave the base model as it is.
bool leavesBaseAlone(const json& initialisation)
{
    return initialisation.is_null() || initialisation.is_boolean() || initialisation == "gaussian"
        || initialisation == "orthogonal" || initialisation == "eva";
}

tl::unexpected<Error> refuse(const std::string& where, const std::string& reason)
{
    return failure(where + " " + reason + ".");
}

bool areNames(const json& value)
{
    return value.is_array() && std::ranges::all_of(value, [](const json& name) { return name.is_string(); });
}

/// A key that is true or false; null and absent are false.
Result<bool> readFlag(const json& config, const char* key, const std::string& where)
{
    const json value = config.value(key, json());
    if (!value.is_null() && !value.is_boolean())
        return refuse(where, std::string("has a ") + key + " that is neither true nor false");
    return value == true;
}

/// The parts that are read one by one; the first error, if any.
Result<void> readChoices(const json& config, const std::string& where, PeftAdapter& adapter)
{
    for (const auto& [key, flag] : { std::pair("use_rslora", &adapter.rslora), std::pair("use_dora", &adapter.dora),
             std::pair("ensure_weight_tying", &adapter.keepsTies) }) {
        const auto read = readFlag(config, key, where);
        if (!read)
            return tl::unexpected(read.error());
        *flag = *read;
    }
    const json dropout = config.value("lora_dropout", json(0.0));
    if (!dropout.is_number() || dropout < 0 || dropout >= 1)
        return refuse(where, "has a lora_dropout that is not between 0 and 1");
    adapter.dropout = dropout.get<double>();
    const json saved = config.value("modules_to_save", json());
    if (!saved.is_null() && !areNames(saved))
        return refuse(where, "has a modules_to_save that is no list of names");
    if (!saved.is_null())
        adapter.modulesToSave = saved.get<std::vector<std::string>>();
    return {};
}

Result<std::vector<std::string>> readTargets(const json& value, const std::string& where)
{
    if (value == "all-linear")
        return std::vector<std::string> { "all-linear" };
    if (value.is_string())
        return refuse(where,
            "gives target_modules as the pattern \"" + value.get<std::string>()
                + "\"; only a list of names is supported");
    if (!areNames(value) || value.empty())
        return refuse(where, "has no list of names as target_modules");
    return value.get<std::vector<std::string>>();
}

/// "q_proj" of "model.layers.0.self_attn.q_proj"
std::string lastName(const std::string& module)
{
    return module.substr(module.rfind('.') + 1);
}

} // namespace

Result<PeftAdapter> adapterFromConfig(const json& config, const std::string& where)
{
    if (!config.is_object())
        return refuse(where, "is not a JSON object");
    if (const json type = config.value("peft_type", json()); type != "LORA")
        return refuse(where, "has the peft_type " + shown(type) + "; only \"LORA\" is supported");
    for (const char* key : unsupported) {
        if (const auto place = config.find(key); place != config.end() && !isOff(*place))
            return refuse(where, std::string("sets ") + key + " to " + shown(*place) + ", which is not supported here");
    }
    if (const json start = config.value("init_lora_weights", json()); !leavesBaseAlone(start))
        return refuse(where,
            "sets init_lora_weights to " + shown(start) + ", which changes the base model and is not supported here");
    constexpr int64_t mostRank = 1 << 16;
    const json rank = config.value("r", json());
    const json alpha = config.value("lora_alpha", json(8)); // PEFT's default
    if (!rank.is_number_integer() || rank < 1 || rank > mostRank || !alpha.is_number() || alpha <= 0)
        return refuse(where, "has no usable r (a whole number from 1) or lora_alpha (above 0)");
    auto targets = readTargets(config.value("target_modules", json()), where);
    if (!targets)
        return tl::unexpected(targets.error());
    const json name = config.value("base_model_name_or_path", json());
    PeftAdapter adapter { { .rank = rank.get<int64_t>(),
        .alpha = alpha.get<double>(),
        .targets = std::move(*targets),
        .baseModelName = name.is_string() ? name.get<std::string>() : "" } };
    if (auto read = readChoices(config, where, adapter); !read)
        return tl::unexpected(read.error());
    return adapter;
}

nlohmann::ordered_json configFromAdapter(const AdapterToWrite& adapter)
{
    std::set<std::string> targets(adapter.targets.begin(), adapter.targets.end());
    if (targets.erase("all-linear") > 0) {
        for (const auto& tensor : adapter.tensors) {
            if (const size_t place = tensor.name.find(".lora_A."); place != std::string::npos)
                targets.insert(lastName(tensor.name.substr(0, place)));
        }
    }
    const bool wholeAlpha = adapter.alpha == std::floor(adapter.alpha) && adapter.alpha < 1e15;
    return {
        { "alpha_pattern", json::object() },
        { "auto_mapping", nullptr },
        { "base_model_name_or_path", adapter.baseModelName },
        { "bias", "none" },
        { "fan_in_fan_out", false },
        { "inference_mode", true },
        { "init_lora_weights", true },
        { "layers_pattern", nullptr },
        { "layers_to_transform", nullptr },
        { "lora_alpha", wholeAlpha ? json(static_cast<int64_t>(adapter.alpha)) : json(adapter.alpha) },
        { "lora_dropout", adapter.dropout },
        { "modules_to_save", adapter.modulesToSave.empty() ? json() : json(adapter.modulesToSave) },
        { "peft_type", "LORA" },
        { "r", adapter.rank },
        { "rank_pattern", json::object() },
        { "revision", nullptr },
        { "target_modules", targets },
        { "task_type", "CAUSAL_LM" },
        { "use_dora", adapter.dora },
        { "use_rslora", adapter.rslora },
    };
}

} // namespace tunebench
