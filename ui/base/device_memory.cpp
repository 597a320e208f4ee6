#include "ui/base/device_memory.h"

#include "core/config/cards.h"
#include "core/memory/nvml.h"
#include "core/memory/process_meter.h"

#include <QCoreApplication>

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
    if (const auto number = cudaNumber(config.device)) {
        const Nvml nvml;
        const auto reading = nvml.read(*number);
        return reading && reading->total ? MemoryLimit { *reading->total, QString::fromStdString(reading->name) }
                                         : MemoryLimit {};
    }
    if (config.device == "cpu") {
        return { readHostMemory().total, translated(QT_TRANSLATE_NOOP("MemoryLimit", "this machine")) };
    }
    return {};
}

} // namespace tunebench
