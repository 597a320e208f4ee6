#pragma once

#include "core/memory/memory_ledger.h"

namespace tunebench {

/// Puts allocators of our own in front of LibTorch's for the CPU and for the meta device, so that every tensor is
/// counted: on the CPU with real memory, on meta without touching any. Once for the process, before the first tensor;
/// calling it again does nothing. (LibTorch keeps one allocator a device type for the whole process; this is the one
/// place where we follow it.)
void installCountingAllocators();

/// The counts of the CPU and of the meta device.
MemoryLedger& cpuLedger();
MemoryLedger& metaLedger();

} // namespace tunebench
