#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <optional>

namespace tunebench {

/// What is left out at one place of one training pass. It follows from the seed alone, so that a backward pass or a
/// recompute makes the same mask again and none is kept.
struct Dropout {
    double share = 0; ///< of the numbers that are left out, below 1
    std::optional<uint64_t> seed {}; ///< none: nothing is left out
    int64_t before = 0, after = 0; ///< rows of the whole that x is a part of: its mask is that part of the whole's

    bool active() const { return share > 0 && seed.has_value(); }
};

/// 0 for what is left out, 1 / (1 - share) for the rest: x's shape [rows, width], type and device. The same seed gives
/// the same mask on every CPU whatever the threads; on CUDA it is another one.
at::Tensor dropoutMask(const at::Tensor& x, const Dropout& dropout);

/// A seed made of two numbers, unlike that of any other pair (SplitMix64; Steele, Lea and Flood, 2014).
uint64_t mixedSeed(uint64_t first, uint64_t second);

} // namespace tunebench
