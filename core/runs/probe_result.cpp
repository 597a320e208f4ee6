#include "core/runs/probe_result.h"

#include "core/config/number_text.h"
#include "core/runs/percent.h"

#include <algorithm>
#include <cmath>

namespace tunebench {

std::string probeSentence(const std::string& name, const Probe& probe, const std::string& otherName, const Probe& other)
{
    const int64_t bytes = probe.measuredPeak - other.measuredPeak;
    const double faster = probe.tokensPerSecond / other.tokensPerSecond - 1;
    // What differs less than the steps of one setting among themselves says nothing.
    const bool alike = std::abs(faster) < std::max({ 0.02, probe.spread / 2, other.spread / 2 });
    const double share = static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(other.measuredPeak, 1));
    const bool sameMemory = std::abs(share) < 0.01;
    std::string text = name + " beside " + otherName + ": "
        + (sameMemory ? "the same memory"
                      : bytesText(std::abs(bytes)) + (bytes < 0 ? " less" : " more") + " memory ("
                    + percent(std::abs(share)) + ")")
        + (alike ? ", equally fast"
                 : ", " + percent(std::abs(faster)) + (faster > 0 ? " more" : " fewer") + " tokens a second");
    const bool saves = !sameMemory && bytes < 0, costs = !sameMemory && bytes > 0;
    const bool quicker = !alike && faster > 0, slower = !alike && faster < 0;
    if ((saves && !slower) || (quicker && !costs))
        return text + ": worth it here.";
    if (quicker)
        return text + ": worth it where the memory is there.";
    if (saves)
        return text + ": worth it where memory is short, or pays for a larger batch.";
    return text + (costs || slower ? ": not worth it here." : ": no difference here.");
}

} // namespace tunebench
