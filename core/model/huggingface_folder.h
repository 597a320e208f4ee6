#pragma once

#include "core/model/stored_weights.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace tunebench {

/// config.json of a Hugging Face folder.
Result<nlohmann::json> readModelConfig(const std::filesystem::path& folder);

/// The weights of a Hugging Face folder: model.safetensors, else the shards that model.safetensors.index.json lists,
/// else the only .safetensors file. Names without the leading "model." (a base model saved alone) are accepted.
Result<std::unique_ptr<StoredWeights>> openFolderWeights(const std::filesystem::path& folder, const ModelSpec& spec);

} // namespace tunebench
