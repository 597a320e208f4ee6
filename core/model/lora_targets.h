#pragma once

#include "core/base/result.h"
#include "core/model/model_spec.h"

#include <span>

namespace tunebench {

/// Whether a LoRA target selects a module, as PEFT matches names: `all-linear` selects every one
/// but the head, otherwise the target
/// is the module's whole name or its last parts ("q_proj", "self_attn.q_proj").
bool selectsModule(std::string_view target, std::string_view module);

/// An error for a target that selects no projection of the model's blocks; it lists what the model has.
Result<void> checkLoraTargets(const ModelSpec& spec, std::span<const std::string> targets);

} // namespace tunebench
