#include "ui/base/device_memory.h"

#include "core/config/cards.h"
#include "core/config/number_text.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"

#include <QCoreApplication>

#include <string_view>

namespace tunebench {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("MemoryLimit", text);
}

} // namespace

MemoryLimit memoryLimitOf(const RunConfig& config)
{
    if (config.device == "auto") {
        RunConfig likely = config;
        likely.device = "cuda:0";
        const MemoryLimit card = memoryLimitOf(likely);
        likely.device = "cpu";
        return card.bytes > 0 ? card : memoryLimitOf(likely);
    }
    if (const int64_t bytes = limitBytes(config); bytes > 0) {
        return { bytes,
            config.card && bytes != config.memoryLimit ? QString::fromStdString(*config.card)
                                                       : translated(QT_TRANSLATE_NOOP("MemoryLimit", "limit")) };
    }
    constexpr std::string_view cuda = "cuda:";
    const std::string_view device = config.device;
    if (device == "cuda" || device.starts_with(cuda)) {
        const auto number = device.starts_with(cuda) ? parseInteger(device.substr(cuda.size())) : 0;
        const Nvml nvml;
        const auto reading = number ? nvml.read(static_cast<int>(*number)) : std::nullopt;
        return reading && reading->total ? MemoryLimit { *reading->total, QString::fromStdString(reading->name) }
                                         : MemoryLimit {};
    }
    if (device == "cpu") {
        return { readHostMemory().total, translated(QT_TRANSLATE_NOOP("MemoryLimit", "this machine")) };
    }
    return {};
}

} // namespace tunebench
