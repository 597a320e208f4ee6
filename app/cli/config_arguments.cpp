#include "app/cli/config_arguments.h"

namespace tunebench {

void addConfigArguments(CLI::App* command, ConfigArguments& arguments)
{
    command->add_option(
        "CONFIG", arguments.config, "Config file (JSON); without one, the demo model on the demo dataset");
    command->add_option("--set", arguments.assignments, "Option that overrides the config, as key=value (batch_size=8)")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
}

Result<ConfigChoice> readChoice(const ConfigArguments& arguments)
{
    auto choice = arguments.config.empty() ? Result<ConfigChoice>(ConfigChoice {}) : configFromFile(arguments.config);
    for (const std::string& assignment : arguments.assignments) {
        if (!choice) {
            break;
        }
        if (const auto set = applyAssignment(*choice, assignment); !set) {
            return tl::unexpected(set.error());
        }
    }
    return choice;
}

} // namespace tunebench
