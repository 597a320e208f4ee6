#pragma once

#include "core/memory/machine_report.h"

#include <optional>
#include <string>
#include <vector>

namespace tunebench {

/// A product type that was measured faster on the device than `compute` and is right, and by how much.
struct FasterProducts {
    NumberType type = NumberType::fp32;
    double factor = 1;
    double gflops = 0, ownGflops = 0;
};
std::optional<FasterProducts> fasterProducts(NumberType compute, const DeviceMeasurement& device);

/// What speaks against the types of a run on this device, in sentences with the figure and the better choice: a compute
/// type that was measured slower than another, one that cards of this kind are slow in, or one that they do not have.
/// `config` must have been resolved. Empty when nothing does.
std::vector<std::string> precisionAdvice(const RunConfig& config, const DeviceMeasurement& device);

} // namespace tunebench
