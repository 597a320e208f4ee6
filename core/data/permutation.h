#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tunebench {

/// A random order of 0 .. count-1 that depends on the arguments alone, on every machine and standard library:
/// Fisher-Yates over SplitMix64 (Steele, Lea and Flood, 2014) with unbiased bounds (Lemire, 2019). Streams of one
/// seed are independent of each other; the epochs of a run are streams 0, 1, ...
std::vector<size_t> permutation(size_t count, uint64_t seed, uint64_t stream);

} // namespace tunebench
