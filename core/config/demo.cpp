#include "core/config/demo.h"

#include "core/base/files.h"

#include <cstdlib>

namespace tunebench {

std::filesystem::path demoModel()
{
    const char* given = std::getenv("TUNEBENCH_DEMO_MODEL");
    if (given != nullptr && *given != '\0') {
        return given;
    }
    return cacheDirectory() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf";
}

std::filesystem::path demoDataset()
{
    constexpr const char* name = "alpaca_demo.json";
    std::error_code problem;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
    auto installed = program.parent_path().parent_path() / "share" / "tunebench" / "demo" / name;
    if (!problem && std::filesystem::exists(installed, problem)) {
        return installed;
    }
    return std::filesystem::path(TUNEBENCH_DEMO_SOURCE) / name;
}

} // namespace tunebench
