#pragma once

#include "core/memory/machine_report.h"

#include <stop_token>

namespace tunebench {

/// Measures this machine (half a minute) and stores the result for `auto` and the plan. When `stop` is requested it
/// ends within a second; what it returns is then unfinished, and nothing is stored.
MachineReport examineMachine(const std::stop_token& stop = {});

/// The stored measurement where it still holds, stored again so that its file is newer than the program; else a new
/// one.
MachineReport knownMachine(const std::stop_token& stop = {});

} // namespace tunebench
