#pragma once

#include "core/base/result.h"
#include "core/memory/machine_report.h"

#include <ATen/core/Tensor.h>

namespace tunebench {

/// Speed and error of matrix products in `type` on `device`, for the shapes of a small language model's layers. Takes
/// about a quarter of a second.
TypeMeasurement measureProducts(NumberType type, at::Device device);

/// Multiplies a little in `type` on `device` and compares with fp64: an error when the result is wrong, or the device
/// cannot. Takes some milliseconds.
Result<void> selfTestProducts(NumberType type, at::Device device);

} // namespace tunebench
