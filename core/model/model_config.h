#pragma once

#include "core/model/model_spec.h"

#include <nlohmann/json_fwd.hpp>

namespace tunebench {

/// The spec from config.json (old and new spellings: rope_scaling or rope_parameters, torch_dtype or dtype). An
/// architecture, activation, layer type or rope type that is not known is refused by name with the list of what is. Of
/// a model that sees images as well it is the spec of the part that reads and writes text.
Result<ModelSpec> modelSpecFromConfig(const nlohmann::json& config, std::string_view where);

/// The part of a config.json that describes the decoder: its text_config where the whole sees images as well (gemma3),
/// else all of it.
const nlohmann::json& textConfig(const nlohmann::json& config);

/// The config.json that stands for this spec in transformers, without what concerns tokens and types.
nlohmann::ordered_json configFromModelSpec(const ModelSpec& spec);

} // namespace tunebench
