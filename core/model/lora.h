#pragma once

#include "core/model/decoder.h"

#include <span>

namespace tunebench {

/// A projection of the decoder that gets a low-rank pair.
struct LoraTarget {
    std::string module; ///< "model.layers.0.self_attn.q_proj"
    Linear* projection = nullptr;
};

/// The projections that `targets` select and that are not trained whole (lora_targets.h), layer by layer.
std::vector<LoraTarget> findLoraTargets(
    Decoder& decoder, std::span<const std::string> targets, std::span<const std::string> modulesToSave);

/// What all pairs of a model have in common.
struct LoraShape {
    int64_t rank = 0;
    double scale = 1;
    double dropout = 0; ///< share of a pair's input
    bool magnitudes = false; ///< DoRA
};

/// Gives each target a fresh pair: A uniform as PEFT draws it (Kaiming with a = sqrt 5: within +-1 / sqrt(in)), B zero,
/// magnitudes the lengths of the weight's rows, so that the model is unchanged at first. The same seed gives the same
/// numbers on every device. The decoder's weights must be there already.
void attachLora(Decoder& decoder, std::span<const LoraTarget> targets, const LoraShape& shape, uint64_t seed);

/// While it lives, the passes of the decoder are training passes: inputs of pairs are dropped out, each pair by a mask
/// of its own that follows from `seed`. Where the passes see a part of a micro-batch, so many of its slots lie before
/// and after; the masks are then that part of the whole's.
class DropoutScope {
public:
    DropoutScope(Decoder& decoder, uint64_t seed, int64_t slotsBefore = 0, int64_t slotsAfter = 0);
    DropoutScope(const DropoutScope&) = delete;
    DropoutScope& operator=(const DropoutScope&) = delete;
    ~DropoutScope();

private:
    std::vector<Linear*> m_projections;
};

/// While it lives, the decoder is the base model alone: its pairs are put aside.
class AdapterOff {
public:
    explicit AdapterOff(Decoder& decoder);
    AdapterOff(const AdapterOff&) = delete;
    AdapterOff& operator=(const AdapterOff&) = delete;
    ~AdapterOff();

private:
    std::vector<std::pair<Linear*, LoraPair>> m_aside;
};

} // namespace tunebench
