#include "core/memory/precision_advice.h"

#include "core/config/cards.h"
#include "core/config/choices.h"
#include "core/config/number_text.h"

#include <algorithm>
#include <cmath>

namespace tunebench {
namespace {

/// From which factor on another type is worth a word.
constexpr double worthwhile = 1.2;

std::string nameOf(NumberType type)
{
    return std::string(choiceName(type));
}

bool isHalf(NumberType type)
{
    return type == NumberType::fp16 || type == NumberType::bf16;
}

std::string measuredText(NumberType own, const FasterProducts& faster)
{
    return "Products in " + nameOf(own) + " were measured at " + std::to_string(std::lround(faster.ownGflops))
        + " GFLOP/s on this device, in " + nameOf(faster.type) + " at " + std::to_string(std::lround(faster.gflops))
        + ": compute " + nameOf(faster.type) + " is " + numberText(std::round(faster.factor * 10) / 10)
        + " times as fast"
        + (isHalf(own) && faster.type == NumberType::fp32
                ? ", and precision " + nameOf(own) + " keeps the weights small."
                : ".");
}

} // namespace

std::optional<FasterProducts> fasterProducts(NumberType compute, const DeviceMeasurement& device)
{
    const auto own = std::ranges::find(device.types, compute, &TypeMeasurement::type);
    if (own == device.types.end() || !own->gflops)
        return std::nullopt;
    std::optional<FasterProducts> fastest;
    for (const TypeMeasurement& type : device.types) {
        const double factor = type.passesSelfTest ? type.gflops.value_or(0) / *own->gflops : 0;
        if (factor > (fastest ? fastest->factor : 1))
            fastest = { type.type, factor, *type.gflops, *own->gflops };
    }
    return fastest;
}

std::vector<std::string> precisionAdvice(const RunConfig& config, const DeviceMeasurement& device)
{
    std::vector<std::string> advice;
    const Card* card = findCard(device.name);
    const bool wantsBf16 = config.compute == NumberType::bf16 || config.precision == NumberType::bf16;
    if (wantsBf16 && card && !card->bf16)
        advice.push_back(device.name
            + " has no bf16, which came with compute capability 8.0 (Ampere), so it is "
              "imitated: precision fp16 needs as little memory, and compute "
            + (card->tensorCores ? "fp16" : "fp32") + " is the fast one there.");
    const auto faster = fasterProducts(config.compute, device);
    if (faster && faster->factor >= worthwhile)
        advice.push_back(measuredText(config.compute, *faster));
    else if (device.types.empty() && card && !card->tensorCores && config.compute == NumberType::fp16)
        advice.push_back(device.name
            + " has no tensor cores, so products in fp16 are expected to be slow (not measured "
              "here; tunebench-cli doctor does): compute fp32, with precision fp16 to keep the "
              "weights small.");
    return advice;
}

} // namespace tunebench
