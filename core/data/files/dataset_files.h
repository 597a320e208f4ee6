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

/// Why a file of no known kind is not read, and what to do about it.
std::string remedyFor(const std::string& path);

/// Files as a dataset names them: a folder stands for those that readDatasetFolder finds in it. Notices say what of a
/// folder is read and what not, and which file is named twice.
struct DatasetFiles {
    std::vector<std::string> paths;
    std::vector<std::string> notices;
};
Result<DatasetFiles> findDatasetFiles(std::span<const std::string> paths);

} // namespace tunebench
