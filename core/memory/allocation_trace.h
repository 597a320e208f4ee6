#pragma once

#include "core/memory/memory_ledger.h"

#include <cstdint>
#include <vector>

namespace tunebench {

/// The next multiple of `unit`, as allocators round sizes.
constexpr int64_t roundedUp(int64_t bytes, int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/// One allocation or release, in the order in which they happen.
struct AllocationEvent {
    int64_t bytes = 0; ///< asked for, before any rounding
    uint32_t block = 0; ///< allocations count from 0; a release names the one that it gives back
    bool released = false;
    MemoryPlace place;
};

/// All that a dry run allocates and releases: what curves and the model of a caching allocator are made from.
using AllocationTrace = std::vector<AllocationEvent>;

} // namespace tunebench
