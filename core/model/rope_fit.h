#pragma once

#include "core/model/rope_spec.h"

#include <optional>
#include <span>

namespace tunebench {

/// The llama3 scaling that gives these divisors of the rotation frequencies (see ropeDivisors), or nothing when none
/// does. Only ratios of the context and the two frequency factors matter, so the low factor is taken as 1, as in
/// every published model.
std::optional<RopeSpec> fitLlama3(std::span<const float> divisors, double theta, int64_t headSize);

} // namespace tunebench
