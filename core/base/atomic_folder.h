#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace tunebench {

/// A folder that appears whole at commit() or not at all. Until then its files are written into content().
class AtomicFolder {
public:
    /// Refuses a folder that is there already with something in it; makes missing parents.
    static Result<AtomicFolder> create(const std::filesystem::path& path);
    /// One that takes the place of what is there, which stays as it is until commit().
    static Result<AtomicFolder> replace(const std::filesystem::path& path);
    AtomicFolder(AtomicFolder&& other) noexcept;
    AtomicFolder& operator=(AtomicFolder&& other) noexcept;
    ~AtomicFolder(); ///< removes the temporary folder; after commit() what stood in its place before

    /// The temporary folder beside the final one.
    const std::filesystem::path& content() const { return m_temporary; }
    Result<void> commit();

private:
    AtomicFolder(std::filesystem::path target, std::filesystem::path temporary, bool replaces);
    static Result<AtomicFolder> make(const std::filesystem::path& path, bool replaces);
    std::filesystem::path m_target;
    std::filesystem::path m_temporary; ///< empty when there is nothing to remove
    bool m_replaces = false;
};

} // namespace tunebench
