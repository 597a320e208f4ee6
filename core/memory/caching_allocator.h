#pragma once

#include "core/memory/allocation_trace.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace tunebench {

/// LibTorch's caching allocator for CUDA, as 2.11 has it with its default settings and one stream, without a device:
/// how many bytes it takes from the driver for a series of allocations. The rules, from
/// c10/cuda/CUDACachingAllocator.cpp:
/// - a request is rounded up to a multiple of 512 bytes, and is served from the small pool up to 1 MiB, else from the
///   large one;
/// - the smallest free block of the pool that is large enough serves it (among equals, the one at the lowest address);
/// - without one, the driver is asked for a segment of 2 MiB (small pool), of 20 MiB (large pool, below 10 MiB), or of
///   the request rounded up to a multiple of 2 MiB;
/// - what a block has left over stays free as a block of its own when it is at least 512 bytes in the small pool, or
///   more than 1 MiB in the large one; else it goes with the block;
/// - a block given back is joined with free neighbours in its segment; segments are kept;
/// - where the driver refuses a segment, every segment that is wholly free is given back to it, and it is asked again.
class CachingAllocator {
public:
    static constexpr int64_t roundTo = 512;
    static constexpr int64_t smallRequest = int64_t { 1 } << 20;
    static constexpr int64_t smallSegment = int64_t { 2 } << 20;
    static constexpr int64_t largeSegment = int64_t { 20 } << 20;
    static constexpr int64_t largeRequest = int64_t { 10 } << 20; ///< from here on a segment of its own size
    static constexpr int64_t segmentRounding = int64_t { 2 } << 20;

    /// `limit`: bytes that the driver gives; 0: no limit.
    explicit CachingAllocator(int64_t limit = 0);

    /// The bytes of the block that a request gets are at least those asked for. False when the driver has no room even
    /// after free segments went back; nothing is allocated then. `block` is a name of the caller's choice.
    bool allocate(uint32_t block, int64_t bytes);
    void release(uint32_t block);

    /// Bytes of the segment that the driver is asked for when no free block serves a request; 0 for none.
    static int64_t segmentFor(int64_t bytes);

    int64_t allocated() const { return m_allocated; }
    int64_t reserved() const { return m_reserved; }
    int64_t peakAllocated() const { return m_peakAllocated; }
    int64_t peakReserved() const { return m_peakReserved; }

private:
    struct Block {
        int64_t bytes = 0;
        int64_t segment = 0; ///< address of its segment
        bool small = false;
        bool free = false;
    };
    using Blocks = std::map<int64_t, Block>; ///< by address; neighbours in it may be neighbours in a segment

    Blocks::iterator findFree(int64_t bytes, bool small);
    Blocks::iterator newSegment(int64_t bytes, bool small);
    void giveBackFreeSegments();
    void split(Blocks::iterator block, int64_t bytes);
    /// Joins `block` with the one after it; both are free and of one segment.
    void join(Blocks::iterator block, Blocks::iterator next);
    void setFree(Blocks::iterator block, bool free);

    int64_t m_limit;
    int64_t m_allocated = 0, m_reserved = 0, m_peakAllocated = 0, m_peakReserved = 0;
    int64_t m_nextAddress = 0;
    Blocks m_blocks;
    std::set<std::tuple<bool, int64_t, int64_t>> m_free; ///< small, bytes, address
    std::map<uint32_t, int64_t> m_addresses; ///< of blocks in use, by their names
};

/// Bytes that a caching allocator would take from the driver at most while it serves a trace.
int64_t peakReserved(std::span<const AllocationEvent> trace);

} // namespace tunebench
