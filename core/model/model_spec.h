#pragma once

#include "core/base/result.h"
#include "core/model/tensor_info.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// How positions turn into rotation angles (transformers, modeling_rope_utils.py).
struct RopeSpec {
    enum class Scaling { none, linear, llama3 };
    double theta = 10000;
    Scaling scaling = Scaling::none;
    double factor = 1;
    double lowFrequencyFactor = 1; ///< llama3
    double highFrequencyFactor = 4; ///< llama3
    int64_t originalContext = 0; ///< llama3: original_max_position_embeddings
    bool operator==(const RopeSpec&) const = default;
};

/// One decoder described by numbers and switches: what a family differs in is data, never a copy of the code.
struct ModelSpec {
    std::string family; ///< transformers' model_type: llama, qwen2, ...
    int64_t hiddenSize = 0;
    int64_t layers = 0;
    int64_t heads = 0;
    int64_t keyValueHeads = 0;
    int64_t headSize = 0;
    int64_t intermediateSize = 0;
    int64_t vocabularySize = 0; ///< rows of the embedding
    int64_t contextLength = 0; ///< max_position_embeddings; a sliding window where it is smaller
    double normEpsilon = 1e-5;
    RopeSpec rope;
    bool tiedEmbeddings = false; ///< the head is the embedding
    bool queryKeyValueBias = false;
    bool outputBias = false; ///< bias on o_proj
    bool mlpBias = false;
    bool queryKeyNorm = false; ///< RMS norm of each head of q and k before the rotation
    bool operator==(const ModelSpec&) const = default;
};

/// The spec from config.json (old and new spellings: rope_scaling or rope_parameters, torch_dtype or dtype). An
/// architecture, activation or rope type that is not known is refused by name with the list of what is.
Result<ModelSpec> modelSpecFromConfig(const nlohmann::json& config, std::string_view where);

/// The config.json that stands for this spec in transformers, without what concerns tokens and types.
nlohmann::ordered_json configFromModelSpec(const ModelSpec& spec);

/// Sizes that are positive, of sane magnitude and fit one another; `where` begins the sentence.
Result<void> checkModelSpec(const ModelSpec& spec, std::string_view where);

/// By how much each of the headSize / 2 rotation frequencies is divided (ones where nothing is scaled): llama3 as
/// transformers' _compute_llama3_parameters and as llama.cpp's converter writes rope_freqs.weight.
std::vector<double> ropeDivisors(const RopeSpec& rope, int64_t headSize);

/// The tensors that this spec needs, under transformers' names, with their shapes (type f32).
std::vector<TensorInfo> neededTensors(const ModelSpec& spec);

/// Parameters in the base model (tied ones once).
int64_t parameterCount(const ModelSpec& spec);

} // namespace tunebench
