#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tunebench {

/// What the NVIDIA driver says of one device at one moment; absent where it does not tell.
struct DeviceReading {
    std::string name;
    std::optional<int64_t> total, used; ///< bytes, all processes
    std::optional<int64_t> usedByThisProcess; ///< bytes
    std::optional<double> utilization; ///< 0 to 1
    std::optional<double> powerWatts, temperature, clockMhz;
};

/// What one process holds on a device.
struct DeviceProcess {
    int64_t process = 0; ///< the system's number
    int64_t bytes = 0;
};

/// The driver's own figures through libnvidia-ml, opened with dlopen; without a driver there are no devices.
class Nvml {
public:
    /// `library` is what dlopen gets.
    explicit Nvml(const std::string& library = "libnvidia-ml.so.1");
    Nvml(Nvml&&) noexcept;
    Nvml& operator=(Nvml&&) noexcept;
    ~Nvml();
    int deviceCount() const;
    std::optional<std::string> driverVersion() const;
    /// Nothing for a device that is not there; devices count as the driver counts them (in the order of their bus).
    std::optional<DeviceReading> read(int device) const;
    /// Every process on a device whose memory the driver tells, this one too; of compute and of graphics.
    std::vector<DeviceProcess> processes(int device) const;

private:
    struct Library;
    std::unique_ptr<Library> m_library;
};

} // namespace tunebench
