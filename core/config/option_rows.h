#pragma once

#include "core/config/choices.h"
#include "core/config/option_table.h"

namespace tunebench {

// The parts of the table, each in its order.
std::vector<OptionRow> modelRows();
std::vector<OptionRow> adapterRows();
std::vector<OptionRow> dataRows();
std::vector<OptionRow> memoryRows();
std::vector<OptionRow> deviceRows();
std::vector<OptionRow> lengthRows();
std::vector<OptionRow> rateRows();
std::vector<OptionRow> optimizerRows();
std::vector<OptionRow> outputRows();

inline constexpr double million = 1e6;
inline constexpr double billion = 1e9;

// A row of the table for a member; its kind follows from the member's type.

inline OptionRow row(std::string RunConfig::*member, Option option)
{
    option.kind = OptionKind::text;
    return { std::move(option), member };
}

inline OptionRow row(std::optional<std::string> RunConfig::*member, Option option)
{
    option.kind = OptionKind::text;
    option.optional = true;
    return { std::move(option), member };
}

inline OptionRow row(std::vector<std::string> RunConfig::*member, Option option)
{
    option.kind = OptionKind::textList;
    return { std::move(option), member };
}

inline OptionRow row(std::map<std::string, std::string> RunConfig::*member, Option option)
{
    option.kind = OptionKind::textMap;
    option.optional = true;
    return { std::move(option), member };
}

inline OptionRow row(int64_t RunConfig::*member, Option option)
{
    option.kind = OptionKind::integer;
    return { std::move(option), member };
}

inline OptionRow row(std::optional<int64_t> RunConfig::*member, Option option)
{
    option.kind = OptionKind::integer;
    option.optional = true;
    return { std::move(option), member };
}

inline OptionRow row(double RunConfig::*member, Option option)
{
    option.kind = OptionKind::real;
    return { std::move(option), member };
}

inline OptionRow row(std::optional<double> RunConfig::*member, Option option)
{
    option.kind = OptionKind::real;
    option.optional = true;
    return { std::move(option), member };
}

inline OptionRow row(bool RunConfig::*member, Option option)
{
    option.kind = OptionKind::boolean;
    return { std::move(option), member };
}

template <class Choice> OptionRow row(Choice RunConfig::*member, Option option)
{
    option.kind = OptionKind::choice;
    option.choices.assign(ChoiceNames<Choice>::names.begin(), ChoiceNames<Choice>::names.end());
    return { std::move(option),
        ChoiceAccess { [member](const RunConfig& config) { return static_cast<size_t>(config.*member); },
            [member](RunConfig& config, size_t index) { config.*member = static_cast<Choice>(index); } } };
}

/// An option that does not take the last choice of its member's type.
inline OptionRow withoutLastChoice(OptionRow row)
{
    row.option.choices.pop_back();
    return row;
}

inline OptionRow path(OptionRow row)
{
    row.isPath = true;
    return row;
}

inline OptionRow checked(OptionRow row, std::optional<std::string> (*check)(const std::string&))
{
    row.check = check;
    return row;
}

} // namespace tunebench
