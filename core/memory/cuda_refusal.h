#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tunebench {

/// What LibTorch's message for CUDA says (c10/cuda/CUDACachingAllocator.cpp): bytes that were requested, allocated and
/// reserved. Numbers that it does not give are absent.
struct CudaRefusal {
    std::optional<int64_t> requested, allocated, reserved;
};
CudaRefusal readCudaRefusal(const std::string& message);

} // namespace tunebench
