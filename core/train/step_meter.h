#pragma once

#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"
#include "core/runs/metrics.h"

#include <ATen/core/Tensor.h>

namespace tunebench {

/// Reads memory, processor and device figures at the end of each step.
class StepMeter {
public:
    explicit StepMeter(at::Device device);

    /// Fills the memory, utilisation and device fields. Utilisation of the processor is since the last call.
    void read(StepMetrics& metrics);

    /// Of the card now, degrees Celsius; nothing where nobody tells.
    std::optional<double> temperature() const;

private:
    at::Device m_device;
    Nvml m_nvml;
    double m_lastCpuSeconds;
    double m_lastTime;
};

} // namespace tunebench
