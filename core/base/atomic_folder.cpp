#include "core/base/atomic_folder.h"

#include "core/base/files.h"
#include "core/base/system_reason.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tunebench {
namespace {

tl::unexpected<Error> cannotMake(const std::filesystem::path& path, int error)
{
    return failure("Cannot make the folder " + path.string() + ": " + systemReason(error) + ".", Fault::work);
}

/// Absolute, without a slash at the end.
std::filesystem::path normalized(const std::filesystem::path& path)
{
    std::filesystem::path target = std::filesystem::absolute(path).lexically_normal();
    return target.has_filename() ? target : target.parent_path();
}

} // namespace

Result<AtomicFolder> AtomicFolder::create(const std::filesystem::path& path)
{
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_empty(path, error))
        return failure(normalized(path).string() + " exists already; choose another name or remove it.");
    return make(path, false);
}

Result<AtomicFolder> AtomicFolder::replace(const std::filesystem::path& path)
{
    return make(path, true);
}

Result<AtomicFolder> AtomicFolder::make(const std::filesystem::path& path, bool replaces)
{
    const std::filesystem::path target = normalized(path);
    std::error_code error;
    std::filesystem::create_directories(target.parent_path(), error);
    if (error)
        return cannotMake(target, error.value());
    std::string temporary = target.string() + std::string(temporarySuffix);
    if (!::mkdtemp(temporary.data()))
        return cannotMake(target, errno);
    ::chmod(temporary.c_str(), 0755);
    return AtomicFolder(target, temporary, replaces);
}

AtomicFolder::AtomicFolder(std::filesystem::path target, std::filesystem::path temporary, bool replaces)
    : m_target(std::move(target))
    , m_temporary(std::move(temporary))
    , m_replaces(replaces)
{
}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : m_target(std::move(other.m_target))
    , m_temporary(std::exchange(other.m_temporary, {}))
    , m_replaces(other.m_replaces)
{
}

AtomicFolder& AtomicFolder::operator=(AtomicFolder&& other) noexcept
{
    std::swap(m_target, other.m_target);
    std::swap(m_temporary, other.m_temporary);
    std::swap(m_replaces, other.m_replaces);
    return *this;
}

AtomicFolder::~AtomicFolder()
{
    std::error_code ignored;
    if (!m_temporary.empty())
        std::filesystem::remove_all(m_temporary, ignored);
}

Result<void> AtomicFolder::commit()
{
    if (::rename(m_temporary.c_str(), m_target.c_str()) == 0)
        m_temporary.clear();
    else if (!m_replaces
        // A folder with something in it cannot be renamed over; exchanged, the old one is what is left to remove.
        || ::renameat2(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, m_target.c_str(), RENAME_EXCHANGE) != 0)
        return cannotMake(m_target, errno);
    if (const int fd = ::open(m_target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
        ::fsync(fd);
        ::close(fd);
    }
    return {};
}

} // namespace tunebench
