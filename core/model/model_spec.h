#pragma once

#include "core/base/result.h"
#include "core/model/model_family.h"
#include "core/model/rope_spec.h"
#include "core/model/tensor_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

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
    int64_t paddingToken = -1; ///< its embedding gets no gradient (pad_token_id); -1: there is none
    int64_t contextLength = 0; ///< max_position_embeddings
    double normEpsilon = 1e-5;
    RopeSpec rope;
    std::optional<RopeSpec> slidingRope; ///< of the layers with a window, where it is another
    int64_t slidingWindow = 0; ///< a token of a sliding layer sees so many, itself included; 0: there are none
    std::vector<bool> slidingLayers; ///< which layers have the window; empty: there are none
    double queryScalar = 0; ///< scores are divided by its root (query_pre_attn_scalar); 0: by that of the head size
    double attentionSoftcap = 0; ///< scores s become cap tanh(s / cap); 0: they stay
    double finalSoftcap = 0; ///< the same for logits
    Activation activation = Activation::silu; ///< of the gate
    bool normAddsOne = false; ///< norms multiply by 1 + weight
    bool embeddingScaled = false; ///< the embedding is multiplied by the root of the hidden size
    bool outputNorms = false; ///< attention and MLP are normalised before they are added as well
    bool fusedProjections = false; ///< q, k and v are one matrix, gate and up another
    bool tiedEmbeddings = false; ///< the head is the embedding
    bool queryKeyValueBias = false;
    bool outputBias = false; ///< bias on o_proj
    bool mlpBias = false;
    bool queryKeyNorm = false; ///< RMS norm of each head of q and k before the rotation

    bool slides(int64_t layer) const { return !slidingLayers.empty() && slidingLayers[static_cast<size_t>(layer)]; }
    /// What scores are multiplied by.
    double attentionScale() const;
    bool operator==(const ModelSpec&) const = default;
};

/// More layers than any model has.
constexpr int64_t mostLayers = 4096;

/// Sets name, activation and switches that every model of the family has.
void applyFamily(ModelSpec& spec, const ModelFamily& family);

/// Sizes that are positive, of sane magnitude and fit one another; `where` begins the sentence.
Result<void> checkModelSpec(const ModelSpec& spec, std::string_view where);

/// The tensors that this spec needs, under transformers' names, with their shapes (type f32).
std::vector<TensorInfo> neededTensors(const ModelSpec& spec);

/// Parameters in the base model (tied ones once).
int64_t parameterCount(const ModelSpec& spec);

} // namespace tunebench
