#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tunebench {

bool isFile(const std::filesystem::path& path);

/// The object in a JSON file, an empty one where the file does not exist.
Result<nlohmann::ordered_json> readOptionalObject(const std::filesystem::path& path);

} // namespace tunebench
