#pragma once

#include "core/base/result.h"
#include "core/config/run_config.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

enum class OptionKind { text, integer, real, boolean, choice, textList, textMap };
enum class OptionGroup { model, data, memory, optimisation, output };

/// One row of the table that JSON, the command line, the form, validation and the README's reference all come from.
/// Kind, optional and choices follow from the type of the RunConfig member.
struct Option {
    std::string key {}; ///< snake_case, as in JSON and in --set
    OptionGroup group {};
    OptionKind kind {};
    bool optional = false; ///< may be null (nothing chosen)
    bool prose = false; ///< of a text list: its elements are prose, with commas in it
    std::string label {}; ///< for the form
    std::string unit {}; ///< tokens, rows, bytes, steps, ...; empty where there is none
    std::string help {}; ///< one or two sentences
    std::string
        huggingFaceName {}; ///< what TrainingArguments, LoraConfig or SFTConfig call it; several are comma-separated
    std::vector<std::string> choices {}; ///< for kind choice, and the keys that a textMap may have
    std::optional<double> least {}; ///< for numbers, inclusive
    std::optional<double> most {}; ///< for numbers, inclusive
    bool leastExclusive = false; ///< the least value itself is refused (a learning rate of 0, say)
    bool mostExclusive = false; ///< the most value itself is refused (a decay rate of 1, say)
    std::optional<double> usualLeast {}, usualMost {}; ///< validate() warns outside
};

/// All options in the order of the form. Each member of RunConfig has exactly one row.
std::span<const Option> options();

/// The row of a key, or nullptr.
const Option* findOption(std::string_view key);

/// Keys whose key, label, help or Hugging Face name contain the words typed into a search box, best match first.
std::vector<std::string> searchOptions(std::string_view words);

/// A RunConfig and which of its keys somebody set (contradictions count only between options that were set).
struct ConfigChoice {
    RunConfig values;
    std::set<std::string> set;
};

/// One option's value as JSON (null for an optional that is not chosen).
nlohmann::json optionValue(const RunConfig& config, std::string_view key);

/// Sets one option from JSON; a string is accepted for every kind and read as the command line reads it; a list may be
/// one comma-separated string, a map is written as JSON. Errors name the key, the range or choices, and what was given.
Result<void> setOption(RunConfig& config, std::string_view key, const nlohmann::json& value);

/// Reads a JSON object. Unknown keys (with the nearest known one), wrong types and values out of range are errors.
/// Relative paths in `model`, `adapter`, `dataset` and `eval_dataset` count from `folder` (the config file's own).
Result<ConfigChoice> configFromJson(std::string_view text, std::string_view folder = {});

/// Reads a config file.
Result<ConfigChoice> configFromFile(const std::string& path);

/// `--set key=value`: the text after the first '=' is the value.
Result<void> applyAssignment(ConfigChoice& choice, std::string_view assignment);

/// Every option with its value, in the table's order.
nlohmann::ordered_json configToJson(const RunConfig& config);

/// A message that belongs to one field of the form.
struct Finding {
    std::string key;
    std::string message;
    bool warning = false; ///< training may start all the same
};

/// What is wrong with the choice as a whole: ranges, contradictions between options that were set (full with fp16
/// weights, say), missing model or dataset. Empty when a run may start.
std::vector<Finding> validate(const ConfigChoice& choice);

/// The options reference of the README: a Markdown table a group.
std::string optionsReference();

/// The config with the demo in place of an empty model or dataset, and with every path absolute (relative ones count
/// from the working directory, a leading `~/` from the home folder). A saved run holds paths of this kind.
RunConfig withResolvedPaths(RunConfig config);

/// What a value must be, in words: "a whole number from 1 to 65536", "one of off, full".
std::string allowedValues(const Option& option);

} // namespace tunebench
