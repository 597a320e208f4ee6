#include "app/cli/command_line.h"

#include "core/config/options.h"

#include <ostream>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

Result<int> writeOptions(Console& console)
{
    if (!console.json) {
        console.out << optionsReference();
        return 0;
    }
    ordered_json list = ordered_json::array();
    for (const Option& option : options()) {
        list.push_back({ { "key", option.key }, { "default", optionValue(RunConfig {}, option.key) },
            { "allowed", allowedValues(option) }, { "unit", option.unit }, { "help", option.help },
            { "elsewhere", option.huggingFaceName } });
    }
    writeJsonLine(console.out, { { "options", std::move(list) } });
    return 0;
}

} // namespace

void addOptions(CommandLine& line)
{
    line.add("options", "Every option of a config: default, values, meaning", writeOptions);
}

} // namespace tunebench
