#pragma once

#include "core/config/run_config.h"
#include "core/memory/process_meter.h"
#include "ui/base/latest_task.h"

#include <QTimer>

#include <cstdint>
#include <functional>
#include <vector>

namespace tunebench {

/// What a device has left at one moment, and which other programs hold the rest.
struct FreeMemory {
    int64_t bytes = 0; ///< 0: not known
    std::vector<ProgramMemory> others; ///< the largest first
};

/// Reads it for the device of resolved options; called on any thread, one call at a time.
using FreeMemorySource = std::function<FreeMemory(const RunConfig& config)>;

/// The driver's figures for a CUDA device, those of the operating system for the CPU.
FreeMemorySource freeMemoryOfThisMachine();

/// Asks a source each second while it is started. Without a source nothing is ever known.
class FreeMemoryWatch : public QObject {
    Q_OBJECT
public:
    FreeMemoryWatch(FreeMemorySource source, QObject* parent);

    void start(const RunConfig& config);
    void stop();
    void refresh(); ///< now

    const FreeMemory& reading() const { return m_reading; }

signals:
    void changed();

private:
    FreeMemorySource m_source;
    RunConfig m_config;
    FreeMemory m_reading;
    LatestTask<FreeMemory> m_task;
    QTimer m_clock;
};

} // namespace tunebench
