#pragma once

#include "core/base/result.h"
#include "core/memory/machine_report.h"

namespace tunebench {

/// What `auto` becomes on a device whose types have been measured, and why.
void chooseByMeasurement(DeviceMeasurement& device);

/// The same without a measurement, from what the processor or card is known for.
void chooseByCapability(DeviceMeasurement& device);

/// `auto` for device, precision and compute resolved: from the stored measurement, or by a rule over what the device
/// has. A run on CUDA that names a card of the list is resolved as for that card, which need not be there. Plan,
/// training and GUI all call this one function.
Result<RunConfig> resolveAutomatic(RunConfig config);

} // namespace tunebench
