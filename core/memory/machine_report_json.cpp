#include "core/config/choices.h"
#include "core/memory/machine_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tunebench {
namespace {

NumberType typeNamed(const std::string& name)
{
    constexpr auto& names = ChoiceNames<NumberType>::names;
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        throw std::invalid_argument("no number type " + name);
    return static_cast<NumberType>(found - names.begin());
}

} // namespace

nlohmann::ordered_json reportToJson(const MachineReport& report)
{
    auto devices = nlohmann::ordered_json::array();
    for (const DeviceMeasurement& device : report.devices) {
        auto types = nlohmann::ordered_json::array();
        for (const TypeMeasurement& type : device.types) {
            types.push_back({ { "type", choiceName(type.type) },
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
                    { { "precision", choiceName(device.automaticPrecision) },
                        { "compute", choiceName(device.automaticCompute) } } },
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
