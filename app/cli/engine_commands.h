#pragma once

#include "app/cli/command_line.h"

namespace tunebench {

void addTrain(CommandLine& line);
void addResume(CommandLine& line);
void addPlan(CommandLine& line);
void addProbe(CommandLine& line);
void addDoctor(CommandLine& line);

} // namespace tunebench
