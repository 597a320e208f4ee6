// A stand-in for libnvidia-ml with two devices: the first tells everything, the second only its memory. How it answers
// is chosen with FAKE_NVML_MODE: "broken" fails to start.

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace {

constexpr int success = 0;
constexpr int notSupported = 3;
constexpr int insufficientSize = 7;
char devices[2];

bool isFirst(void* device)
{
    return device == &devices[0];
}

struct Info {
    unsigned int pid;
    unsigned long long used;
    unsigned int gpu, compute;
};

int tell(void* device, unsigned int* out, unsigned int value)
{
    *out = value;
    return isFirst(device) ? success : notSupported;
}

} // namespace

extern "C" {

int nvmlInit_v2()
{
    const char* mode = std::getenv("FAKE_NVML_MODE");
    return mode != nullptr && std::string_view(mode) == "broken" ? 9 : success;
}

int nvmlShutdown()
{
    return success;
}

int nvmlDeviceGetCount_v2(unsigned int* count)
{
    *count = 2;
    return success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device)
{
    *device = &devices[index];
    return success;
}

int nvmlSystemGetDriverVersion(char* text, unsigned int size)
{
    std::strncpy(text, "999.1", size);
    return success;
}

int nvmlDeviceGetName(void* device, char* text, unsigned int size)
{
    std::memset(text, 'x', size); // no end: a name as long as the buffer
    if (isFirst(device)) {
        std::strncpy(text, "Fake GTX 1650", size);
    }
    return success;
}

int nvmlDeviceGetMemoryInfo(void* /*device*/, unsigned long long* memory)
{
    memory[0] = 4ULL << 30;
    memory[1] = 3ULL << 30;
    memory[2] = 1ULL << 30;
    return success;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned int* rates)
{
    rates[1] = 10;
    return tell(device, rates, 87);
}

int nvmlDeviceGetPowerUsage(void* device, unsigned int* milliwatts)
{
    return tell(device, milliwatts, 61500);
}

int nvmlDeviceGetTemperature(void* device, int /*sensor*/, unsigned int* degrees)
{
    return tell(device, degrees, 64);
}

int nvmlDeviceGetClockInfo(void* device, int /*type*/, unsigned int* mhz)
{
    return tell(device, mhz, 1665);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned int* count, void* infos)
{
    constexpr unsigned int running = 50;
    if (!isFirst(device)) {
        return notSupported;
    }
    const unsigned int room = *count;
    *count = running;
    if (room < running) {
        return insufficientSize;
    }
    auto* list = static_cast<Info*>(infos);
    for (unsigned int i = 0; i < running; ++i) {
        list[i] = { i + 1, 100, 0, 0 };
    }
    list[running - 1] = { static_cast<unsigned int>(::getpid()), 123456789, 0, 0 };
    return success;
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned int* count, void* infos)
{
    if (!isFirst(device)) {
        return notSupported;
    }
    auto* list = static_cast<Info*>(infos);
    list[0] = { 1, 100, 0, 0 }; // computes as well
    list[1] = { 777, 500, 0, 0 };
    list[2] = { 778, ~0ULL, 0, 0 }; // not told
    *count = 3;
    return success;
}
}
