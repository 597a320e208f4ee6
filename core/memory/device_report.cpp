#include "core/memory/device_report.h"

#include "core/config/cards.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace tunebench {
namespace {

const std::map<NumberType, std::string> typeNames { { NumberType::fp32, "fp32" }, { NumberType::fp16, "fp16" },
    { NumberType::bf16, "bf16" }, { NumberType::automatic, "auto" } };

NumberType typeNamed(const std::string& name)
{
    for (const auto& [type, known] : typeNames) {
        if (known == name)
            return type;
    }
    throw std::invalid_argument("no number type " + name);
}

const TypeMeasurement* find(const DeviceMeasurement& device, NumberType type)
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
        text += (text == "measured" ? ": " : ", ") + typeNames.at(type.type) + " "
            + std::to_string(std::lround(*type.gflops)) + " GFLOP/s";
        if (!type.passesSelfTest)
            text += " (fails the self-test)";
    }
    return text;
}

} // namespace

void chooseByMeasurement(DeviceMeasurement& device)
{
    const TypeMeasurement* fastest = find(device, NumberType::fp32);
    for (const TypeMeasurement& type : device.types) {
        if (type.gflops && type.passesSelfTest && (!fastest || *type.gflops > *fastest->gflops))
            fastest = &type;
    }
    device.automaticCompute = fastest ? fastest->type : NumberType::fp32;

    const TypeMeasurement* fp32 = find(device, NumberType::fp32);
    const TypeMeasurement* bf16 = find(device, NumberType::bf16);
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
        + std::string(tensorCores ? "fast in " + typeNames.at(half) : "slowly in fp16");
}

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "unknown processor";
}

nlohmann::ordered_json reportToJson(const MachineReport& report)
{
    auto devices = nlohmann::ordered_json::array();
    for (const DeviceMeasurement& device : report.devices) {
        auto types = nlohmann::ordered_json::array();
        for (const TypeMeasurement& type : device.types) {
            types.push_back({ { "type", typeNames.at(type.type) },
                { "gflops", type.gflops ? nlohmann::ordered_json(*type.gflops) : nullptr },
                { "relative_error",
                    type.worstRelativeError ? nlohmann::ordered_json(*type.worstRelativeError) : nullptr },
                { "passes_self_test", type.passesSelfTest }, { "steps_timed", type.stepsTimed } });
        }
        auto operations = nlohmann::ordered_json::array();
        for (const OperationPrice& price : device.operations)
            operations.push_back({ { "kind", price.kind }, { "call", price.call }, { "shape", price.shape },
                { "flop", price.flop }, { "element", price.element }, { "byte", price.byte } });
        devices.push_back(
            { { "device", device.device }, { "name", device.name }, { "memory_total", device.memoryTotal },
                { "memory_available", device.memoryAvailable }, { "threads", device.threads }, { "types", types },
                { "auto",
                    { { "precision", typeNames.at(device.automaticPrecision) },
                        { "compute", typeNames.at(device.automaticCompute) } } },
                { "reason", device.reason },
                { "overhead", device.overhead ? nlohmann::ordered_json(*device.overhead) : nullptr },
                { "operation_prices", std::move(operations) } });
    }
    return { { "libtorch", report.libtorch }, { "driver", report.driver }, { "devices", devices } };
}

std::optional<MachineReport> reportFromJson(std::string_view text)
{
    const auto optionalNumber = [](const nlohmann::json& value) {
        return value.is_null() ? std::nullopt : std::optional(value.get<double>());
    };
    try {
        const auto json = nlohmann::json::parse(text);
        MachineReport report { .libtorch = json.at("libtorch"), .driver = json.at("driver"), .devices = {} };
        for (const auto& entry : json.at("devices")) {
            DeviceMeasurement device { .device = entry.at("device"),
                .name = entry.at("name"),
                .memoryTotal = entry.at("memory_total"),
                .memoryAvailable = entry.at("memory_available"),
                .threads = entry.at("threads") };
            for (const auto& type : entry.at("types")) {
                device.types.push_back({ .type = typeNamed(type.at("type")),
                    .gflops = optionalNumber(type.at("gflops")),
                    .worstRelativeError = optionalNumber(type.at("relative_error")),
                    .passesSelfTest = type.at("passes_self_test"),
                    .stepsTimed = type.at("steps_timed") });
            }
            device.automaticPrecision = typeNamed(entry.at("auto").at("precision"));
            device.automaticCompute = typeNamed(entry.at("auto").at("compute"));
            device.reason = entry.at("reason");
            if (!entry.at("overhead").is_null())
                device.overhead = entry.at("overhead").get<int64_t>();
            for (const auto& price : entry.at("operation_prices"))
                device.operations.push_back({ .kind = price.at("kind"),
                    .call = price.at("call"),
                    .shape = price.at("shape"),
                    .flop = price.at("flop"),
                    .element = price.at("element"),
                    .byte = price.at("byte") });
            report.devices.push_back(std::move(device));
        }
        return report;
    } catch (const std::exception&) { // a file of another version, or damaged: as if there were none
        return std::nullopt;
    }
}

} // namespace tunebench
