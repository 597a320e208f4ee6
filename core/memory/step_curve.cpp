#include "core/memory/step_curve.h"

#include <algorithm>

namespace tunebench {

std::vector<CurvePoint> stepCurve(std::span<const AllocationEvent> trace, int64_t unit, int64_t before)
{
    std::vector<CurvePoint> curve;
    int64_t live = before;
    for (const AllocationEvent& event : trace) {
        if (curve.empty() || curve.back().place != event.place)
            curve.push_back({ event.place, live, live });
        const int64_t bytes = roundedUp(event.bytes, unit);
        live += event.released ? -bytes : bytes;
        curve.back().peak = std::max(curve.back().peak, live);
        curve.back().after = live;
    }
    return curve;
}

} // namespace tunebench
