#pragma once

#include "core/model/decoder.h"

#include <span>

namespace tunebench {

/// A projection of the decoder that gets a low-rank pair.
struct LoraTarget {
    std::string module; ///< "model.layers.0.self_attn.q_proj"
    Linear* projection = nullptr;
};

/// The projections that `targets` select (see selectsModule in lora_targets.h), layer by layer.
std::vector<LoraTarget> findLoraTargets(Decoder& decoder, std::span<const std::string> targets);

/// Gives each target a fresh pair: A uniform as PEFT draws it (Kaiming with a = sqrt 5: within +-1 / sqrt(in)), B zero,
/// so that the model is unchanged at first. The same seed gives the same numbers on every device.
void attachLora(Decoder& decoder, std::span<const LoraTarget> targets, int64_t rank, double scale, uint64_t seed);

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
