#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace tunebench {

/// A folder that appears whole at commit() or not at all. Until then its files are written into content().
class AtomicFolder {
public:
    /// Refuses a folder that is there already with something in it; makes missing parents.
    static Result<AtomicFolder> create(const std::filesystem::path& path);
    AtomicFolder(AtomicFolder&& other) noexcept;
    AtomicFolder& operator=(AtomicFolder&& other) noexcept;
    ~AtomicFolder(); ///< removes the temporary folder unless commit() has succeeded

    /// The temporary folder beside the final one.
    const std::filesystem::path& content() const { return m_temporary; }
    Result<void> commit();

private:
    AtomicFolder(std::filesystem::path target, std::filesystem::path temporary);
    std::filesystem::path m_target;
    std::filesystem::path m_temporary; ///< empty when there is nothing to remove
};

} // namespace tunebench
