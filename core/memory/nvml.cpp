#include "core/memory/nvml.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <unistd.h>

namespace tunebench {

namespace {

// What is used of nvml.h: names, layouts and values are NVIDIA's ("NVML API Reference Guide").
using Status = int;
using Handle = void*;
constexpr Status success = 0;
constexpr Status insufficientSize = 7;
constexpr int temperatureOfGpu = 0;
constexpr int clockOfSm = 1;
constexpr unsigned long long notAvailable = ~0ULL;

struct Memory {
    unsigned long long total, free, used;
};
struct Utilization {
    unsigned int gpu, memory; // percent of the last sample period
};
struct ProcessInfo {
    unsigned int pid;
    unsigned long long usedGpuMemory;
    unsigned int gpuInstance, computeInstance;
};

/// A function of the library; one that it does not have answers with a failure.
template <class... Arguments> class Function {
public:
    void load(void* library, const char* name)
    {
        m_function = reinterpret_cast<Status (*)(Arguments...)>(::dlsym(library, name));
    }
    Status call(Arguments... arguments) const { return m_function == nullptr ? -1 : m_function(arguments...); }

    /// The value that the last argument points to after a call that succeeded.
    template <class Value, class... Front> std::optional<Value> value(Front... front) const
    {
        Value value {};
        return call(front..., &value) == success ? std::optional(value) : std::nullopt;
    }

private:
    Status (*m_function)(Arguments...) = nullptr;
};

template <class Number> std::optional<double> scaled(std::optional<Number> number, double factor)
{
    return number ? std::optional(static_cast<double>(*number) * factor) : std::nullopt;
}

} // namespace

struct Nvml::Library {
    void* library;
    Function<> init, shutdown;
    Function<unsigned int*> count;
    Function<unsigned int, Handle*> handle;
    Function<char*, unsigned int> driver;
    Function<Handle, char*, unsigned int> name;
    Function<Handle, Memory*> memory;
    Function<Handle, Utilization*> utilization;
    Function<Handle, unsigned int*> power; // milliwatts
    Function<Handle, int, unsigned int*> temperature;
    Function<Handle, int, unsigned int*> clock; // MHz
    Function<Handle, unsigned int*, ProcessInfo*> computeProcesses, graphicsProcesses;
    bool ready = false;

    explicit Library(const char* path)
        : library(::dlopen(path, RTLD_NOW | RTLD_LOCAL))
    {
        if (library == nullptr) {
            return;
        }
        init.load(library, "nvmlInit_v2");
        shutdown.load(library, "nvmlShutdown");
        count.load(library, "nvmlDeviceGetCount_v2");
        handle.load(library, "nvmlDeviceGetHandleByIndex_v2");
        driver.load(library, "nvmlSystemGetDriverVersion");
        name.load(library, "nvmlDeviceGetName");
        memory.load(library, "nvmlDeviceGetMemoryInfo");
        utilization.load(library, "nvmlDeviceGetUtilizationRates");
        power.load(library, "nvmlDeviceGetPowerUsage");
        temperature.load(library, "nvmlDeviceGetTemperature");
        clock.load(library, "nvmlDeviceGetClockInfo");
        computeProcesses.load(library, "nvmlDeviceGetComputeRunningProcesses_v3");
        graphicsProcesses.load(library, "nvmlDeviceGetGraphicsRunningProcesses_v3");
        ready = init.call() == success;
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library()
    {
        if (ready) {
            shutdown.call();
        }
        if (library != nullptr) {
            ::dlclose(library);
        }
    }

    using ProcessList = Function<Handle, unsigned int*, ProcessInfo*>;

    static std::vector<DeviceProcess> listed(const ProcessList& function, Handle device)
    {
        std::vector<ProcessInfo> list(32);
        std::vector<DeviceProcess> processes;
        for (int tries = 0; tries < 4; ++tries) {
            auto size = static_cast<unsigned int>(list.size());
            const Status status = function.call(device, &size, list.data());
            if (status == insufficientSize) {
                constexpr unsigned int most = 65536;
                list.resize(std::min(size + size / 2 + 32, most));
                continue;
            }
            for (size_t i = 0; status == success && i < std::min<size_t>(size, list.size()); ++i) {
                if (list[i].usedGpuMemory != notAvailable) {
                    processes.push_back({ list[i].pid, static_cast<int64_t>(list[i].usedGpuMemory) });
                }
            }
            break;
        }
        return processes;
    }

    std::optional<int64_t> usedBy(int64_t process, Handle device) const
    {
        const auto list = listed(computeProcesses, device);
        const auto found = std::ranges::find(list, process, &DeviceProcess::process);
        return found == list.end() ? std::nullopt : std::optional(found->bytes);
    }

    std::optional<Handle> deviceAt(int device) const
    {
        const int devices = ready ? static_cast<int>(count.value<unsigned int>().value_or(0)) : 0;
        return device < 0 || device >= devices ? std::nullopt : handle.value<Handle>(static_cast<unsigned int>(device));
    }
};

Nvml::Nvml(const std::string& library)
    : m_library(std::make_unique<Library>(library.c_str()))
{
}
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml& Nvml::operator=(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

int Nvml::deviceCount() const
{
    return m_library->ready ? static_cast<int>(m_library->count.value<unsigned int>().value_or(0)) : 0;
}

std::optional<std::string> Nvml::driverVersion() const
{
    std::array<char, 81> text {};
    const bool known = m_library->ready && m_library->driver.call(text.data(), text.size() - 1) == success;
    return known ? std::optional<std::string>(text.data()) : std::nullopt;
}

std::optional<DeviceReading> Nvml::read(int device) const
{
    const Library& nvml = *m_library;
    const auto handle = nvml.deviceAt(device);
    if (!handle) {
        return std::nullopt;
    }
    DeviceReading reading;
    std::array<char, 97> name {};
    if (nvml.name.call(*handle, name.data(), name.size() - 1) == success) {
        reading.name = name.data();
    }
    if (const auto memory = nvml.memory.value<Memory>(*handle)) {
        reading.total = static_cast<int64_t>(memory->total);
        reading.used = static_cast<int64_t>(memory->used);
    }
    if (const auto utilization = nvml.utilization.value<Utilization>(*handle)) {
        reading.utilization = utilization->gpu / 100.0;
    }
    reading.usedByThisProcess = nvml.usedBy(::getpid(), *handle);
    reading.powerWatts = scaled(nvml.power.value<unsigned int>(*handle), 1e-3);
    reading.temperature = scaled(nvml.temperature.value<unsigned int>(*handle, temperatureOfGpu), 1);
    reading.clockMhz = scaled(nvml.clock.value<unsigned int>(*handle, clockOfSm), 1);
    return reading;
}

std::vector<DeviceProcess> Nvml::processes(int device) const
{
    const auto handle = m_library->deviceAt(device);
    if (!handle) {
        return {};
    }
    auto all = Library::listed(m_library->computeProcesses, *handle);
    // A program that computes and draws stands in both lists with the same bytes.
    for (const DeviceProcess& drawing : Library::listed(m_library->graphicsProcesses, *handle)) {
        if (std::ranges::find(all, drawing.process, &DeviceProcess::process) == all.end()) {
            all.push_back(drawing);
        }
    }
    return all;
}

} // namespace tunebench
