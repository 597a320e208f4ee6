#pragma once

#include <string>
#include <vector>

namespace tunebench {

/// Paths with sizes and times of change, those of a folder's files too: two equal texts mean equal files.
std::string fileState(const std::vector<std::string>& paths);

} // namespace tunebench
