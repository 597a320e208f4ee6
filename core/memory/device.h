#pragma once

#include "core/base/result.h"
#include "core/config/run_config.h"

#include <ATen/core/Tensor.h>
#include <optional>
#include <string>

namespace tunebench {

/// Makes LibTorch ready, once for the process and before any tensor exists: our counting allocators, and, where an
/// NVIDIA driver is found, LibTorch's CUDA half. Calling it again does nothing. The text says why there is no CUDA
/// although there is a driver (a library that is missing, by name); empty when all is well.
const std::string& initializeEngine();

/// NVIDIA devices that LibTorch can use.
int cudaDeviceCount();

/// "cpu", "cuda", "cuda:1" -> the device; an error says which devices there are.
Result<at::Device> openDevice(const std::string& name);

/// fp32, fp16, bf16; `automatic` must have been resolved before. nf4 is no type of tensors: its codes lie in bytes.
at::ScalarType scalarType(NumberType type);

/// The type that this processor best makes products of `type` in: fp32 where it has no instructions for numbers of 16
/// bits, and LibTorch would multiply them one by one.
at::ScalarType cpuProductType(at::ScalarType type);

/// Bytes that LibTorch holds on one device, now and at most.
struct DeviceMemory {
    int64_t allocated = 0;
    int64_t peak = 0;
    std::optional<int64_t> reserved; ///< by a caching allocator
    std::optional<int64_t> peakReserved;
};
DeviceMemory readDeviceMemory(at::Device device);

/// The peak starts again from what is live now.
void resetPeakMemory(at::Device device);

/// The device refuses more than `bytes` (0: no limit). On CUDA it must come before the first tensor there.
Result<void> limitMemory(at::Device device, int64_t bytes);

/// Gives memory that nothing uses, but that an allocator holds for later, back to the system.
void releaseCachedMemory(at::Device device);

/// What the option `threads` comes to: 0 is all cores.
int threadCount(int64_t threads);

/// `threads` for products on the CPU; 0: all cores. For the calling thread, which must be the one that trains.
void useThreads(int64_t threads);

} // namespace tunebench
