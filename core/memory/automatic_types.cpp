#include "core/memory/automatic_types.h"

#include "core/config/cards.h"
#include "core/config/choices.h"
#include "core/memory/device.h"

#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

const TypeMeasurement* measuredType(const DeviceMeasurement& device, NumberType type)
{
    const auto found = std::ranges::find(device.types, type, &TypeMeasurement::type);
    return found == device.types.end() || !found->gflops ? nullptr : &*found;
}

std::string speedSentence(const DeviceMeasurement& device)
{
    std::string text = "measured";
    for (const TypeMeasurement& type : device.types) {
        if (!type.gflops)
            continue;
        text += (text == "measured" ? ": " : ", ") + std::string(choiceName(type.type)) + " "
            + std::to_string(std::lround(*type.gflops)) + " GFLOP/s";
        if (!type.passesSelfTest)
            text += " (fails the self-test)";
    }
    return text;
}

} // namespace

void chooseByMeasurement(DeviceMeasurement& device)
{
    const TypeMeasurement* fastest = measuredType(device, NumberType::fp32);
    for (const TypeMeasurement& type : device.types) {
        if (type.gflops && type.passesSelfTest && (!fastest || *type.gflops > *fastest->gflops))
            fastest = &type;
    }
    device.automaticCompute = fastest ? fastest->type : NumberType::fp32;

    const TypeMeasurement* fp32 = measuredType(device, NumberType::fp32);
    const TypeMeasurement* bf16 = measuredType(device, NumberType::bf16);
    if (bf16 && bf16->passesSelfTest && (!fp32 || *bf16->gflops >= *fp32->gflops))
        device.automaticPrecision = NumberType::bf16;
    else
        device.automaticPrecision = device.device == "cpu" ? NumberType::fp32 : NumberType::fp16;
    device.reason = speedSentence(device);
}

void chooseByCapability(DeviceMeasurement& device)
{
    if (device.device == "cpu") {
        const bool fast = __builtin_cpu_supports("avx512bf16") != 0;
        device.automaticPrecision = device.automaticCompute = fast ? NumberType::bf16 : NumberType::fp32;
        device.reason = fast ? "not measured; the processor has instructions for bf16"
                             : "not measured; the processor has no instructions for bf16";
        return;
    }
    // Cards named GTX have no tensor cores: half precision saves memory there, and its products are slow.
    const Card* card = findCard(device.name);
    const bool tensorCores = card ? card->tensorCores : device.name.find("GTX") == std::string::npos;
    const NumberType half = card && card->bf16 ? NumberType::bf16 : NumberType::fp16;
    device.automaticPrecision = half;
    device.automaticCompute = tensorCores ? half : NumberType::fp32;
    device.reason = "not measured; cards of this kind multiply "
        + (tensorCores ? "fast in " + std::string(choiceName(half)) : "slowly in fp16");
}

Result<RunConfig> resolveAutomatic(RunConfig config)
{
    auto report = storedReport();
    if (!report) {
        report = machineFacts();
        for (DeviceMeasurement& device : report->devices)
            chooseByCapability(device);
    }
    if (config.device == "auto")
        config.device = report->devices.front().device;
    const DeviceMeasurement* device = findDevice(*report, config.device);
    const Card* card = namedCard(config);
    DeviceMeasurement other;
    if (card && (!device || findCard(device->name) != card)) {
        other = { .device = config.device, .name = card->name };
        chooseByCapability(other);
        device = &other;
    }
    if (!device) {
        const auto opened = openDevice(config.device);
        return failure(opened ? "device: " + config.device + " cannot be used." : opened.error().message);
    }
    if (config.precision == NumberType::automatic)
        config.precision = config.method == Method::full ? NumberType::fp32 : device->automaticPrecision;
    if (config.compute == NumberType::automatic)
        config.compute = device->automaticCompute;
    return config;
}

} // namespace tunebench
