#pragma once

#include "core/base/result.h"
#include "core/model/model_spec.h"

#include <span>

namespace tunebench {

/// Whether a LoRA target selects a module, as PEFT matches names: `all-linear` selects every one
/// but the head, otherwise the target
/// is the module's whole name or its last parts ("q_proj", "self_attn.q_proj").
bool selectsModule(std::string_view target, std::string_view module);

/// Whether PEFT's modules_to_save trains a tensor ("model.norm.weight") whole: the path of its module, or of a block
/// around it, ends with one of the names. Such a module gets no low-rank pair.
bool savesWhole(std::span<const std::string> modulesToSave, std::string_view tensor);

/// An error for a name of modules_to_save that selects nothing, or when nothing is left for the targets.
Result<void> checkModulesToSave(
    const ModelSpec& spec, std::span<const std::string> modulesToSave, std::span<const std::string> targets);

/// An error for a target that selects no projection of the model's blocks; it lists what the model has.
Result<void> checkLoraTargets(const ModelSpec& spec, std::span<const std::string> targets);

} // namespace tunebench
