#pragma once

#include "core/base/result.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tunebench {

/// What the rows of a file are written in.
enum class FileKind {
    json, ///< a list, or objects one after another
    jsonLines,
    commaSeparated,
    tabSeparated,
    text,
    parquet,
};

/// By the name's ending, whatever its case; .gz and .zst after it do not count. Nothing for other names.
std::optional<FileKind> fileKind(const std::string& path);

/// The endings that are read, for messages: ".json, .jsonl, ... or .parquet (also packed as .gz or .zst)".
std::string knownFileKinds();

/// Files as a dataset names them: a folder stands for the files of known kinds in it, by name. Hidden files, and files
/// of other kinds, which a notice names, are left out. An error where a folder holds none.
struct DatasetFiles {
    std::vector<std::string> paths;
    std::vector<std::string> notices;
};
Result<DatasetFiles> findDatasetFiles(std::span<const std::string> paths);

} // namespace tunebench
