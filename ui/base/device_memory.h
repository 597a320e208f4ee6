#pragma once

#include "core/config/run_config.h"

#include <QString>

namespace tunebench {

/// What a run may use at most.
struct MemoryLimit {
    int64_t bytes = 0; ///< 0: not known
    QString name; ///< the limit, or the card or machine whose memory it is
};

/// The run's `memory_limit` or card, else the memory of its device as the driver or the operating system tells; for
/// `auto` that of the device which it most likely becomes, a GPU where there is one.
MemoryLimit memoryLimitOf(const RunConfig& config);

} // namespace tunebench
