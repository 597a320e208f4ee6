#pragma once

#include "core/memory/machine_report.h"

namespace tunebench {

/// What `auto` becomes on a device whose types have been measured, and why.
void chooseByMeasurement(DeviceMeasurement& device);

/// The same without a measurement, from what the processor or card is known for.
void chooseByCapability(DeviceMeasurement& device);

/// Model name of the processor, as the system tells it.
std::string processorName();

/// Reads what reportToJson wrote; nothing for anything else.
std::optional<MachineReport> reportFromJson(std::string_view text);

} // namespace tunebench
