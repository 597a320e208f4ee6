#include "core/memory/device.h"

#include "core/config/cards.h"
#include "core/memory/counting_allocator.h"
#include "core/memory/meta_kernels.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>
#include <thread>

namespace tunebench {
namespace {

std::string openCuda()
{
    if (Nvml().deviceCount() == 0)
        return {};
    // Lazy loading of kernels saves some hundred MB of device memory; it must be asked for before CUDA starts.
    ::setenv("CUDA_MODULE_LOADING", "LAZY", 0);
    if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL))
        return {};
    const char* reason = ::dlerror();
    return "There is an NVIDIA driver, but LibTorch's CUDA half does not load, so training runs on the CPU: "
        + std::string(reason ? reason : "unknown reason") + ". Run packaging/setup.sh again to fetch what is missing.";
}

c10::CachingDeviceAllocator::DeviceStats cudaStats(at::Device device)
{
    return c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
}

int64_t current(const c10::CachingAllocator::StatArray& stats)
{
    return stats[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
}

int64_t highest(const c10::CachingAllocator::StatArray& stats)
{
    return stats[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak;
}

} // namespace

const std::string& initializeEngine()
{
    static const std::string problem = [] {
        // oneDNN keeps a compiled product for every shape it has seen, about a MB each, and without padding every
        // micro-batch has a shape of its own: a few are enough, as all layers of one micro-batch share theirs.
        ::setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64", 0);
        installCountingAllocators();
        registerMetaKernels();
        return openCuda();
    }();
    return problem;
}

int cudaDeviceCount()
{
    initializeEngine();
    return at::globalContext().hasCUDA() ? at::accelerator::deviceCount() : 0;
}

Result<at::Device> openDevice(const std::string& name)
{
    const std::string& problem = initializeEngine();
    if (name == "cpu")
        return at::Device(at::kCPU);
    const int count = cudaDeviceCount();
    const auto number = cudaNumber(name);
    if (number && *number < count)
        return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(*number));
    const std::string known = count == 0 ? "only cpu" : "cpu and cuda:0 to cuda:" + std::to_string(count - 1);
    return failure("device: there is no " + name + " on this machine; there is " + known + "."
        + (problem.empty() ? "" : " " + problem));
}

at::ScalarType scalarType(NumberType type)
{
    switch (type) {
    case NumberType::fp16:
        return at::kHalf;
    case NumberType::bf16:
        return at::kBFloat16;
    case NumberType::nf4:
        return at::kByte;
    case NumberType::fp32:
    case NumberType::automatic:
        return at::kFloat;
    }
    return at::kFloat;
}

at::ScalarType cpuProductType(at::ScalarType type)
{
    const auto isSupported = [](const char* question) {
        const auto asked = c10::Dispatcher::singleton().findSchema({ question, "" });
        return asked && asked->typed<bool()>().call();
    };
    if (type == at::kHalf)
        return isSupported("mkldnn::_is_mkldnn_fp16_supported") ? type : at::kFloat;
    if (type == at::kBFloat16)
        return isSupported("mkldnn::_is_mkldnn_bf16_supported") ? type : at::kFloat;
    return type;
}

DeviceMemory readDeviceMemory(at::Device device)
{
    if (device.is_cuda()) {
        const auto stats = cudaStats(device);
        return { current(stats.allocated_bytes), highest(stats.allocated_bytes), current(stats.reserved_bytes),
            highest(stats.reserved_bytes) };
    }
    const MemoryLedger& ledger = device.is_meta() ? metaLedger() : cpuLedger();
    return { ledger.allocated(), ledger.peak(), std::nullopt, std::nullopt };
}

void resetPeakMemory(at::Device device)
{
    if (device.is_cuda())
        c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
    else
        (device.is_meta() ? metaLedger() : cpuLedger()).resetPeak();
    if (device.is_cpu())
        resetPeakResident();
}

Result<void> limitMemory(at::Device device, int64_t bytes)
{
    if (!device.is_cuda()) {
        (device.is_meta() ? metaLedger() : cpuLedger()).setLimit(bytes);
        return {};
    }
    if (bytes == 0)
        return {};
    const auto reading = Nvml().read(device.index());
    if (!reading || !reading->total)
        return failure("memory_limit: the driver does not tell how much memory the device has; leave the limit out.");
    const double share = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(*reading->total));
    c10::CachingAllocator::setAllocatorSettings("per_process_memory_fraction:" + std::to_string(share));
    return {};
}

void releaseCachedMemory(at::Device device)
{
    if (device.is_cuda())
        c10::getDeviceAllocator(device.type())->emptyCache();
    else if (device.is_cpu())
        ::malloc_trim(0);
}

int threadCount(int64_t threads)
{
    return threads > 0 ? static_cast<int>(threads)
                       : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void useThreads(int64_t threads)
{
    at::set_num_threads(threadCount(threads));
}

} // namespace tunebench
