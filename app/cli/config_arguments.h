#pragma once

#include "app/cli/command_line.h"

#include "core/config/options.h"

namespace tunebench {

/// A config file and options that override it, as several commands take them.
struct ConfigArguments {
    std::string config;
    std::vector<std::string> assignments;
};

/// CONFIG and --set.
void addConfigArguments(CLI::App* command, ConfigArguments& arguments);

/// The options that they stand for; an error names the file or the assignment.
Result<ConfigChoice> readChoice(const ConfigArguments& arguments);

} // namespace tunebench
