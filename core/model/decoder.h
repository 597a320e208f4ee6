#pragma once

#include "core/model/model_spec.h"
#include "core/ops/linear.h"

#include <functional>
#include <optional>
#include <vector>

namespace tunebench {

/// One block of the decoder.
struct DecoderLayer {
    Parameter inputNorm; ///< [hidden]
    Linear query, key, value; ///< in families without fused projections
    Linear queryKeyValue; ///< in the others: rows of query, key and value
    Linear output;
    Parameter queryNorm, keyNorm; ///< [head size]; do not exist in most families
    Parameter attentionOutputNorm; ///< [hidden]; does not exist in most families
    Parameter mlpInputNorm; ///< [hidden]
    Linear gate, up; ///< in families without fused projections
    Linear gateUp; ///< in the others: rows of gate and up
    Linear down;
    Parameter mlpOutputNorm; ///< [hidden]; does not exist in most families
    int64_t window = 0; ///< see AttentionRule
    size_t rope = 0; ///< which of Decoder::ropes turns query and key

    /// The projections with their transformers names inside the layer ("self_attn.q_proj", ...), those that no layer
    /// of this family has among them.
    std::vector<std::pair<std::string, Linear*>> projections();

    /// Every tensor of the base model in this layer.
    void forEachBaseParameter(const std::function<void(Parameter&)>& body);
};

/// What the angles of one rope follow from.
struct RopeFrequencies {
    std::vector<float> usual; ///< inverse frequencies, [rotated size / 2]
    std::vector<float> beyondOriginal; ///< of micro-batches with a row longer than the original context
    int64_t originalContext = 0; ///< 0: the usual ones serve rows of any length
    float factor = 1; ///< cosines and sines are multiplied by it
};

/// A decoder-only language model: its tensors and the types they are computed in.
struct Decoder {
    ModelSpec spec;
    at::Device device = at::kCPU;
    at::ScalarType compute = at::kFloat; ///< of the products and the residual stream
    Parameter embedding; ///< [vocabulary, hidden]
    std::vector<DecoderLayer> layers;
    Parameter finalNorm; ///< [hidden]
    Parameter untiedHead; ///< [vocabulary, hidden]; does not exist when the embedding serves
    std::vector<RopeFrequencies> ropes; ///< of all layers, or of those without a window and those with one

    const Parameter& head() const { return untiedHead.exists() ? untiedHead : embedding; }

    /// Every tensor of the base model.
    void forEachBaseParameter(const std::function<void(Parameter&)>& body);
    /// What is trained, in a fixed order: low-rank pairs layer by layer, then base tensors.
    std::vector<Parameter*> trainedParameters();
};

/// How frozen tensors are held.
struct Holding {
    at::ScalarType type = at::kFloat;
    bool fourBits = false; ///< the blocks' projections in 4 bits instead
    bool unpacksByOperations = false; ///< see makeNf4Weight()
    std::optional<at::ScalarType> products {}; ///< see Parameter; of trained tensors too
};

/// Makes all base tensors of `spec` on `device`, not yet filled. Those whose names `isTrained` says yes to are fp32 and
/// have gradients; the others are frozen and held in `holding`.
Decoder makeDecoder(const ModelSpec& spec, at::Device device, const Holding& holding, at::ScalarType compute,
    const std::function<bool(std::string_view)>& isTrained);

/// Inverse frequencies of the rotation, fp32 (transformers, modeling_rope_utils.py).
RopeFrequencies ropeFrequencies(const RopeSpec& rope, int64_t headSize);

} // namespace tunebench
