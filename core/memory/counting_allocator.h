#pragma once

#include "core/memory/allocation_trace.h"

#include <cstdint>

namespace tunebench {

/// Puts allocators of our own in front of LibTorch's for the CPU and for the meta device, so that every tensor is
/// counted: on the CPU with real memory, on meta without touching any. Once for the process, before the first tensor;
/// calling it again does nothing. (LibTorch keeps one allocator a device type for the whole process; this is the one
/// place where we follow it.)
void installCountingAllocators();

/// The counts of the CPU.
MemoryLedger& cpuLedger();
/// Those of the meta device for the calling thread: several threads can run dry at once.
MemoryLedger& metaLedger();

/// What a dry run of the calling thread would have moved from a card to the computer's memory.
MemoryLedger& offloadLedger();

/// While it lives, sizes on the meta device are rounded up to `unit` bytes, as the allocator of the device that is
/// planned for rounds them, and what the calling thread allocates and releases there is written down. One a thread at a
/// time, begun while nothing of the thread is allocated there.
class MetaTrace {
public:
    explicit MetaTrace(int64_t unit);
    MetaTrace(const MetaTrace&) = delete;
    MetaTrace& operator=(const MetaTrace&) = delete;
    ~MetaTrace();

    const AllocationTrace& events() const { return m_events; }
    int64_t unit() const { return m_unit; }

    /// The number of the new block.
    uint32_t allocated(int64_t bytes);
    void released(uint32_t block, int64_t bytes);

private:
    int64_t m_unit;
    uint32_t m_blocks = 0;
    AllocationTrace m_events;
};

} // namespace tunebench
