#include "core/config/number_text.h"
#include "core/config/options.h"

#include <array>
#include <nlohmann/json.hpp>

namespace tunebench {

namespace {

std::string defaultText(const Option& option)
{
    const nlohmann::json value = optionValue(RunConfig {}, option.key);
    if (value.is_null()) {
        return "none";
    }
    if (value.is_number_float()) {
        return numberText(value.get<double>());
    }
    if (option.kind == OptionKind::textList) {
        return value.empty() ? "the demo" : value.front().get<std::string>();
    }
    if (value.is_string()) {
        const auto text = value.get<std::string>();
        return text.empty() ? "the demo" : text;
    }
    return value.dump();
}

std::string tableRow(const Option& option)
{
    std::string allowed = allowedValues(option);
    if (!option.unit.empty()) {
        allowed += " (" + option.unit + ")";
    }
    std::string help = option.help;
    if (!option.huggingFaceName.empty() && option.huggingFaceName != option.key) {
        help += " Elsewhere: " + option.huggingFaceName + ".";
    }
    return "| `" + option.key + "` | " + defaultText(option) + " | " + allowed + " | " + help + " |\n";
}

} // namespace

std::string optionsReference()
{
    constexpr std::array<std::pair<OptionGroup, const char*>, 5> groups { {
        { OptionGroup::model, "Model" },
        { OptionGroup::data, "Data" },
        { OptionGroup::memory, "Memory and speed" },
        { OptionGroup::optimisation, "Optimisation" },
        { OptionGroup::output, "Output" },
    } };
    std::string reference;
    for (const auto& [group, title] : groups) {
        reference += (reference.empty() ? "" : "\n") + std::string("**") + title + "**\n\n";
        reference += "| option | default | value | meaning |\n|---|---|---|---|\n";
        for (const Option& option : options()) {
            if (option.group == group) {
                reference += tableRow(option);
            }
        }
    }
    return reference;
}

} // namespace tunebench
