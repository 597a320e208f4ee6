#pragma once

#include "core/config/run_config.h"
#include "core/memory/operation_price.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// A number type on one device: how fast its matrix products are, and whether they are right.
struct TypeMeasurement {
    NumberType type = NumberType::fp32;
    std::optional<double> gflops; ///< absent where the device cannot multiply in it
    std::optional<double> worstRelativeError; ///< of a product against fp64
    bool passesSelfTest = false;
    bool stepsTimed = false; ///< the device's `operations` have those of steps in this type
};

/// What one device can do.
struct DeviceMeasurement {
    std::string device; ///< cpu, cuda:0, ...
    std::string name; ///< of the processor or card
    int64_t memoryTotal = 0; ///< bytes
    int64_t memoryAvailable = 0; ///< bytes
    int threads = 0; ///< CPU only
    std::vector<TypeMeasurement> types;
    std::vector<OperationPrice> operations; ///< what the operations of a training step cost; empty: not measured
    std::optional<int64_t> overhead; ///< bytes that the process takes on the device besides LibTorch's allocator
    NumberType automaticPrecision = NumberType::fp32; ///< what `precision: auto` becomes for LoRA
    NumberType automaticCompute = NumberType::fp32; ///< what `compute: auto` becomes
    std::string reason; ///< why, in a sentence
};

struct MachineReport {
    std::string libtorch;
    std::string driver; ///< empty without an NVIDIA driver
    std::vector<DeviceMeasurement> devices;
};

/// This machine, not measured: devices in the order in which `auto` prefers them.
MachineReport machineFacts();

/// Keeps a measurement for `auto` and the plan; a folder that cannot be written to makes no difference but that.
void storeReport(const MachineReport& report);

/// The stored measurement, if there is one for this machine.
std::optional<MachineReport> storedReport();

/// The device of this name ("cpu", "cuda:0") in a report; nothing when there is none.
const DeviceMeasurement* findDevice(const MachineReport& report, const std::string& device);

/// What is known of a device ("cpu", "cuda:0"): the stored measurement, or name and memory alone.
DeviceMeasurement knownDevice(const std::string& device);

/// The device that a run with these options is planned for: the one that it runs on, or the card that it names where
/// that is another one. `config.device` must have been resolved.
DeviceMeasurement plannedDevice(const RunConfig& config);

nlohmann::ordered_json reportToJson(const MachineReport& report);
/// Reads what reportToJson wrote; nothing for anything else.
std::optional<MachineReport> reportFromJson(std::string_view text);

} // namespace tunebench
