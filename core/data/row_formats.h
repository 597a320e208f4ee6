#pragma once

#include "core/config/run_config.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// A column that a format reads.
struct FormatColumn {
    std::string_view name;
    bool needed = true;
    std::vector<std::string_view> others {}; ///< what other tables call it
};

struct RowFormat {
    DatasetFormat format;
    std::vector<FormatColumn> columns;
};

/// The formats, in the order in which they are tried.
std::span<const RowFormat> rowFormats();
const RowFormat& rowFormat(DatasetFormat format);

/// From our column names to a table's (the option dataset_columns).
using ColumnMap = std::map<std::string, std::string>;

/// Gives a row the column names of the map, all at once; a column of the same name gives way.
void renameColumns(nlohmann::ordered_json& row, const ColumnMap& map);

/// Gives the columns of the format our names: those of another case or with another usual name, where ours is missing.
void useFormatNames(nlohmann::ordered_json& row, DatasetFormat format);

/// The name among `names` that a column goes by, or nothing.
std::optional<std::string> nameOf(const FormatColumn& column, std::span<const std::string> names);

/// The format that the row's columns show, or nothing. Columns that are null count only where no others tell. Only
/// formats that read every column of the map, by which the row is renamed already, are tried.
std::optional<DatasetFormat> formatOfRow(const nlohmann::ordered_json& row, const ColumnMap& map = {});

/// True when the row has a column for each that the format needs, null or not.
bool hasColumnsOf(const nlohmann::ordered_json& row, DatasetFormat format);

/// Which columns each format needs, for messages: "instruction and output (alpaca), ...".
std::string neededColumns();

} // namespace tunebench
