#pragma once

#include "core/memory/allocation_trace.h"

#include <span>
#include <vector>

namespace tunebench {

/// Memory during one operation of a step.
struct CurvePoint {
    MemoryPlace place;
    int64_t peak = 0; ///< bytes, at most while it computes
    int64_t after = 0; ///< bytes that it leaves
};

/// The curve of memory over the operations of a trace, one point for each stretch of events at one place. Sizes are
/// rounded up to `unit` bytes; `before` bytes are live when the trace begins.
std::vector<CurvePoint> stepCurve(std::span<const AllocationEvent> trace, int64_t unit, int64_t before);

} // namespace tunebench
