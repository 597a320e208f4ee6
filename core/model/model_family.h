#pragma once

#include "core/ops/activation.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tunebench {

/// What one family of decoders differs in; a new family is a row of the table, not a copy of the code.
struct ModelFamily {
    std::string_view name; ///< transformers' model_type
    std::string_view modelClass; ///< transformers' class, for config.json's architectures
    std::string_view ggufArchitecture; ///< general.architecture, and the prefix of its keys
    bool attentionBiasOption = false; ///< config.json's attention_bias (all four projections) counts
    bool mlpBiasOption = false; ///< config.json's mlp_bias counts
    bool queryKeyValueBias = false; ///< q, k and v always have a bias
    bool queryKeyNorm = false; ///< each head of q and k is normalised before the rotation
    bool normAddsOne = false; ///< norms multiply by 1 + weight (in GGUF files by the stored weight)
    bool embeddingScaled = false; ///< the embedding is multiplied by the root of the hidden size
    bool outputNorms = false; ///< attention and MLP are normalised before they are added as well
    bool fusedProjections = false; ///< q, k and v are one matrix, gate and up another
    bool partialRotation = false; ///< partial_rotary_factor counts
    bool attentionSoftcapOption = false; ///< attn_logit_softcapping counts
    bool finalSoftcapOption = false; ///< final_logit_softcapping counts
    /// Which layers look back a window only.
    enum class SlidingWindow {
        never,
        whenUsed, ///< where use_sliding_window: those of layer_types, or from max_window_layers on
        everyLayer, ///< where sliding_window: all
        byPattern, ///< those of layer_types, or all but every n-th
    } slidingWindow
        = SlidingWindow::never;
    int64_t fullEvery = 0; ///< byPattern: n, unless config.json says it (sliding_window_pattern)
    Activation activation = Activation::silu; ///< when config.json does not say it
    std::string_view activationKey = "hidden_act";
    int64_t layersScaledByWidth = 0; ///< GGUF files of so many layers mean a query scalar of hidden size / heads
    bool interleavedInGguf = false; ///< llama.cpp's converter reorders the rows of q and k for its own rotation
    bool defaultTied = false; ///< when config.json has no tie_word_embeddings
    int64_t defaultHeads = 0; ///< when config.json has no num_attention_heads; 0: it must
    int64_t defaultKeyValueHeads = 0; ///< when config.json has no such key; 0: as many as heads
    int64_t defaultHeadSize = 0; ///< when config.json has no head_dim; 0: hidden size / heads
    int64_t defaultVocabulary = 0; ///< when config.json has no vocab_size; 0: it must
    int64_t defaultPadding = -1; ///< when config.json has no pad_token_id; -1: none
    int64_t defaultContext = 0; ///< when config.json has no max_position_embeddings
    int64_t defaultWindow = 0; ///< when config.json has no sliding_window; 0: none
    int64_t defaultOriginalContext = 0; ///< not 0: original_max_position_embeddings stands beside the rope's numbers
    double defaultNormEpsilon = 1e-6;
    double defaultTheta = 10000;
    double defaultLocalTheta = 0; ///< not 0: layers with a window have a rope of their own
    double defaultQueryScalar = 0; ///< not 0: query_pre_attn_scalar counts
    double defaultAttentionSoftcap = 0;
    double defaultFinalSoftcap = 0;
};

std::span<const ModelFamily> modelFamilies();

/// The row with that model_type, or nullptr.
const ModelFamily* familyByName(std::string_view modelType);

/// The row with that GGUF architecture, or nullptr.
const ModelFamily* familyByArchitecture(std::string_view architecture);

/// "llama, qwen2", for messages.
std::string knownFamilies();

} // namespace tunebench
