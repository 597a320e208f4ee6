#pragma once

#include <filesystem>

namespace tunebench {

/// The model of the demo: `$TUNEBENCH_DEMO_MODEL`, else the file that the set-up fetched into the cache folder. It may
/// not be there.
std::filesystem::path demoModel();

/// The dataset of the demo: `share/tunebench/demo/` beside the installed program's `bin`, else the source tree's. It
/// may not be there.
std::filesystem::path demoDataset();

} // namespace tunebench
