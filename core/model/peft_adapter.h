#pragma once

#include "core/model/model_spec.h"

#include <filesystem>
#include <memory>
#include <span>

namespace tunebench {

class SafetensorsFile;

/// A LoRA adapter as PEFT keeps it (adapter_config.json and adapter_model.safetensors): each module's product gets
/// alpha / rank * B A x added.
struct PeftAdapter {
    struct Pair {
        std::string module; ///< "model.layers.0.self_attn.q_proj"
        int64_t inputs = 0;
        int64_t outputs = 0;
        size_t fileIndexA = 0;
        size_t fileIndexB = 0;
    };

    int64_t rank = 0;
    double alpha = 0;
    bool rslora = false; ///< the scale is alpha / sqrt(rank)
    std::vector<std::string> targets; ///< names or suffixes of modules, or "all-linear" alone
    std::string baseModelName; ///< a notice only; empty where the adapter does not say
    std::vector<Pair> tensors; ///< by name
    std::shared_ptr<const SafetensorsFile> file;

    void readA(size_t pair, std::span<float> out) const; ///< [rank, inputs]
    void readB(size_t pair, std::span<float> out) const; ///< [outputs, rank]
};

/// Opens a PEFT folder. What would change the result and is not supported (dropout, rsLoRA, DoRA, modules saved whole,
/// patterns of ranks, trained biases, ...) is refused by name, and so is every tensor that is no half of a pair.
Result<PeftAdapter> openPeftAdapter(const std::filesystem::path& folder);

/// Holds the adapter against a model: each pair belongs to a projection of its size, and each projection that the
/// targets select has a pair.
Result<void> checkPeftAdapter(const PeftAdapter& adapter, const ModelSpec& spec);

/// An adapter to be written.
struct AdapterToWrite {
    struct Pair {
        std::string module;
        int64_t inputs = 0;
        int64_t outputs = 0;
        std::span<const float> a; ///< [rank, inputs]
        std::span<const float> b; ///< [outputs, rank]
    };

    int64_t rank = 0;
    double alpha = 0;
    bool rslora = false; ///< the scale is alpha / sqrt(rank)
    std::vector<std::string> targets; ///< all-linear is written as the list of last names, as PEFT does
    std::string baseModelName; ///< see modelName in model_files.h
    std::vector<Pair> pairs;
};

/// Writes the folder as PEFT saves it, in float32. It appears whole or not at all, and only after it has been read
/// back; a folder that is there already is replaced.
Result<void> writePeftAdapter(const std::filesystem::path& folder, const AdapterToWrite& adapter);

} // namespace tunebench
