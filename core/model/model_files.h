#pragma once

#include "core/model/model_spec.h"
#include "core/model/stored_weights.h"

#include <filesystem>
#include <memory>
#include <string>

namespace tunebench {

/// A model on disk, checked: every needed tensor is there with the right shape.
struct ModelFiles {
    ModelSpec spec;
    std::unique_ptr<StoredWeights> weights;
    std::string name; ///< see modelName

    /// Changes when config or weights change; looks at a part of each tensor.
    std::string fingerprint() const;
};

/// Opens a Hugging Face folder (config.json; model.safetensors, or shards with an index) or a .gguf file. Missing
/// files, Git LFS pointers, cut files, absurd header lengths, missing, extra and mis-shaped tensors: one sentence each.
Result<ModelFiles> openModelFiles(const std::filesystem::path& path);

/// What others call the model, for adapter_config.json's base_model_name_or_path: the hub's id where config.json or the
/// hub's cache tells it, else the last part of the path; never a path of this machine.
std::string modelName(const std::filesystem::path& path);

/// Only the spec: for the form and the plan.
Result<ModelSpec> readModelSpec(const std::filesystem::path& path);

} // namespace tunebench
