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
    bool biasOptions; ///< config.json's attention_bias (all four projections) and mlp_bias count
    bool queryKeyValueBias; ///< q, k and v always have a bias
    bool slidingWindowOption; ///< config.json's use_sliding_window counts
    bool interleavedInGguf; ///< llama.cpp's converter reorders the rows of q and k for its own rotation
    int64_t defaultKeyValueHeads; ///< when config.json has no such key; 0: as many as heads
    int64_t defaultContext; ///< when config.json has no max_position_embeddings
};

std::span<const ModelFamily> modelFamilies();

/// The row with that model_type, or nullptr.
const ModelFamily* familyByName(std::string_view modelType);

/// The row with that GGUF architecture, or nullptr.
const ModelFamily* familyByArchitecture(std::string_view architecture);

/// "llama, qwen2", for messages.
std::string knownFamilies();

} // namespace tunebench
