#pragma once

#include "core/config/options.h"
#include "core/data/dataset.h"

#include <functional>
#include <span>

namespace tunebench {

/// The most memory that a run with these options and rows would hold at once, bytes; called on any thread. The program
/// gives planPeakMemory, tests a function of their own.
using PlanPeak = std::function<Result<int64_t>(const ConfigChoice& choice, std::span<const RowExtent> extents)>;

} // namespace tunebench
