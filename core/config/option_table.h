#pragma once

#include "core/config/options.h"

#include <functional>
#include <variant>

namespace tunebench {

/// Reads and writes a member that is an enumeration; the index counts in the names of the choices.
struct ChoiceAccess {
    std::function<size_t(const RunConfig&)> get;
    std::function<void(RunConfig&, size_t)> set;
};

/// Where the value of an option lives.
using OptionMember = std::variant<std::string RunConfig::*, std::optional<std::string> RunConfig::*,
    std::vector<std::string> RunConfig::*, int64_t RunConfig::*, std::optional<int64_t> RunConfig::*,
    std::map<std::string, std::string> RunConfig::*, double RunConfig::*, std::optional<double> RunConfig::*,
    bool RunConfig::*, ChoiceAccess>;

/// One row of the table: what an option is, and where its value lives. `check` refuses texts that the kind alone does
/// not: it returns what is allowed, or nothing when the text is fine.
struct OptionRow {
    Option option;
    OptionMember member;
    std::function<std::optional<std::string>(const std::string&)> check {};
    bool isPath = false;
};

/// The table, in the order of the form.
std::span<const OptionRow> optionRows();

/// The row of a key, or nullptr.
const OptionRow* findOptionRow(std::string_view key);

/// What to say of a key that is not in the table: the key meant by a Hugging Face name, or the nearest key.
std::string unknownKeyMessage(std::string_view key);

/// The text nearest to `word` by edit distance, if one is near enough to be a slip.
std::optional<std::string> nearestText(std::string_view word, std::span<const std::string> texts);

} // namespace tunebench
