#pragma once

#include "core/model/peft_adapter.h"

#include <nlohmann/json_fwd.hpp>

namespace tunebench {

/// Rank, alpha, targets and base model of adapter_config.json; tensors stay empty. `where` begins error sentences.
Result<PeftAdapter> adapterFromConfig(const nlohmann::json& config, const std::string& where);

/// adapter_config.json as PEFT writes it, with the keys that every version since 0.8 knows.
nlohmann::ordered_json configFromAdapter(const AdapterToWrite& adapter);

} // namespace tunebench
