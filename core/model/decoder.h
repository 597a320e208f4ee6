#pragma once

#include "core/model/model_spec.h"
#include "core/ops/linear.h"

#include <functional>
#include <vector>

namespace tunebench {

/// One block of the decoder.
struct DecoderLayer {
    Parameter inputNorm; ///< [hidden]
    Linear query, key, value, output;
    Parameter queryNorm, keyNorm; ///< [head size]; do not exist in most families
    Parameter postAttentionNorm; ///< [hidden]
    Linear gate, up, down;

    /// The projections with their transformers names inside the layer ("self_attn.q_proj", ...).
    std::vector<std::pair<std::string, Linear*>> projections();
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
    std::vector<float> inverseFrequencies; ///< of the rotation, [head size / 2]

    const Parameter& head() const { return untiedHead.exists() ? untiedHead : embedding; }

    /// Every tensor of the base model.
    void forEachBaseParameter(const std::function<void(Parameter&)>& body);
    /// What is trained, in a fixed order: low-rank pairs layer by layer, then base tensors.
    std::vector<Parameter*> trainedParameters();
};

/// Makes all base tensors of `spec` on `device`, not yet filled. Frozen, they are held in `precision`; with `trainAll`
/// they are fp32 and have gradients.
Decoder makeDecoder(
    const ModelSpec& spec, at::Device device, at::ScalarType precision, at::ScalarType compute, bool trainAll);

/// Inverse frequencies of the rotation, fp32 (transformers, modeling_rope_utils.py): [head size / 2].
std::vector<float> ropeInverseFrequencies(const ModelSpec& spec);

} // namespace tunebench
