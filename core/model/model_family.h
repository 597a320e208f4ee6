#pragma once

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
    /// Whether tokens may look back a window only.
    enum class SlidingWindow {
        never,
        whenUsed, ///< config.json's use_sliding_window decides
        whenGiven, ///< config.json's sliding_window decides
    } slidingWindow
        = SlidingWindow::never;
    bool interleavedInGguf = false; ///< llama.cpp's converter reorders the rows of q and k for its own rotation
    int64_t defaultKeyValueHeads = 0; ///< when config.json has no such key; 0: as many as heads
    int64_t defaultHeadSize = 0; ///< when config.json has no head_dim; 0: hidden size / heads
    int64_t defaultContext = 0; ///< when config.json has no max_position_embeddings
};

std::span<const ModelFamily> modelFamilies();

/// The row with that model_type, or nullptr.
const ModelFamily* familyByName(std::string_view modelType);

/// The row with that GGUF architecture, or nullptr.
const ModelFamily* familyByArchitecture(std::string_view architecture);

/// "llama, qwen2", for messages.
std::string knownFamilies();

} // namespace tunebench
