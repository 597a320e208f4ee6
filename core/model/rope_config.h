#pragma once

#include "core/model/config_fields.h"
#include "core/model/model_family.h"
#include "core/model/model_spec.h"

namespace tunebench {

/// The ropes of a model.
struct Ropes {
    RopeSpec full; ///< of the layers that see the whole row
    std::optional<RopeSpec> sliding; ///< of those with a window, where it is another
};

/// Reads them in every spelling of config.json: rope_theta, rope_scaling, rope_parameters (flat, or an object for each
/// layer type), rope_local_base_freq. As in transformers, rope_scaling wins where several are given.
Ropes readRopes(ConfigFields& config, const ModelFamily& family, int64_t contextLength);

/// Adds the keys that stand for the ropes, in the spelling that transformers 4 and 5 read.
void writeRopes(nlohmann::ordered_json& config, const ModelSpec& spec, const ModelFamily& family);

} // namespace tunebench
