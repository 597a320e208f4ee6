#pragma once

#include "core/base/files.h"

namespace tunebench {

/// Maps a file of weights. An empty file and a Git LFS pointer are refused as what they are.
Result<MappedFile> openWeightFile(const std::filesystem::path& path);

/// Reads a small text file of a model (config.json, an index); refuses the same.
Result<std::string> readModelText(const std::filesystem::path& path);

} // namespace tunebench
