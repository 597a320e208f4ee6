#pragma once

#include "core/model/model_spec.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace tunebench {

class SafetensorsFile;

/// What adapter_config.json says: each module's product gets alpha / rank * B A x added.
struct AdapterSettings {
    int64_t rank = 0;
    double alpha = 0;
    double dropout = 0; ///< share of the pairs' inputs, in training
    bool rslora = false; ///< the scale is alpha / sqrt(rank)
    bool dora = false; ///< pairs have magnitudes
    std::vector<std::string> targets; ///< names or suffixes of modules, or "all-linear" alone
    std::vector<std::string> modulesToSave; ///< as savesWhole() in lora_targets.h takes them
    std::string baseModelName; ///< a notice only; empty where the adapter does not say
};

/// A LoRA adapter as PEFT keeps it (adapter_config.json and adapter_model.safetensors).
struct PeftAdapter : AdapterSettings {
    struct Pair {
        std::string module; ///< "model.layers.0.self_attn.q_proj"
        int64_t inputs = 0;
        int64_t outputs = 0;
        size_t fileIndexA = 0; ///< [rank, inputs]
        size_t fileIndexB = 0; ///< [outputs, rank]
        std::optional<size_t> fileIndexMagnitude {}; ///< [outputs]; with DoRA
    };
    /// A tensor of the base model that was trained whole.
    struct Whole {
        std::string name; ///< "model.norm.weight"
        size_t fileIndex = 0;
    };

    bool keepsTies = false; ///< a tied embedding and head were trained as one
    std::vector<Pair> tensors {}; ///< by name
    std::vector<Whole> whole {};
    std::shared_ptr<const SafetensorsFile> file {};

    void read(size_t fileIndex, std::span<float> out) const;
};

/// Opens a PEFT folder. What would change the result and is not supported (patterns of ranks, trained biases, ...) is
/// refused by name, and so is every tensor that is neither part of a pair nor of a module saved whole.
Result<PeftAdapter> openPeftAdapter(const std::filesystem::path& folder);

/// Holds the adapter against a model: each pair belongs to a projection of its size, and each projection that the
/// targets select has a pair; the same of modules saved whole.
Result<void> checkPeftAdapter(const PeftAdapter& adapter, const ModelSpec& spec);

/// An adapter to be written; the target all-linear is written as the list of last names, as PEFT does.
struct AdapterToWrite : AdapterSettings {
    struct Tensor {
        std::string name; ///< "model.layers.0.self_attn.q_proj.lora_A.weight", "model.norm.weight"
        std::vector<int64_t> shape;
        std::span<const float> numbers;
    };
    std::vector<Tensor> tensors;
};

/// Writes the folder as PEFT saves it, in float32. It appears whole or not at all, and only after it has been read
/// back; a folder that is there already is replaced.
Result<void> writePeftAdapter(const std::filesystem::path& folder, const AdapterToWrite& adapter);

} // namespace tunebench
