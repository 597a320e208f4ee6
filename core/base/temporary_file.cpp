#include "core/base/temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace tunebench {
namespace {

constexpr size_t checkEvery = size_t { 64 } << 20; ///< bytes written between two looks at the disk
constexpr size_t leftFree = size_t { 1 } << 30; ///< bytes that others may need

std::string remedy()
{
    return "free some space in " + cacheDirectory().string()
        + ", or set XDG_CACHE_HOME to a folder on a larger disk, and try again.";
}

} // namespace

Result<TemporaryFile> TemporaryFile::create()
{
    std::error_code problem;
    std::filesystem::create_directories(cacheDirectory(), problem);
    std::string name = (cacheDirectory() / "unpacked.XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0)
        return failure("Cannot write a temporary file in " + cacheDirectory().string() + " (" + std::strerror(errno)
                + "): " + remedy(),
            Fault::work);
    ::unlink(name.c_str());
    return TemporaryFile(descriptor);
}

TemporaryFile::TemporaryFile(int descriptor)
    : m_descriptor(descriptor)
{
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_size(other.m_size)
    , m_checked(other.m_checked)
{
}

TemporaryFile::~TemporaryFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<void> TemporaryFile::checkSpace(const std::string& what) const
{
    struct statvfs disk { };
    if (::fstatvfs(m_descriptor, &disk) != 0)
        return {};
    if (disk.f_bavail * disk.f_frsize < leftFree)
        return failure(what + " takes more than " + std::to_string(m_size >> 20)
                + " MB unpacked, and the disk has less than 1 GB left: " + remedy(),
            Fault::work);
    return {};
}

Result<void> TemporaryFile::write(std::string_view bytes, const std::string& what)
{
    if (m_size + bytes.size() >= m_checked + checkEvery) {
        m_checked = m_size + bytes.size();
        if (auto space = checkSpace(what); !space)
            return space;
    }
    while (!bytes.empty()) {
        const ssize_t put = ::write(m_descriptor, bytes.data(), bytes.size());
        if (put < 0 && errno != EINTR)
            return failure(what + " cannot be unpacked (" + std::strerror(errno) + "): " + remedy(), Fault::work);
        if (put > 0) {
            bytes.remove_prefix(static_cast<size_t>(put));
            m_size += static_cast<size_t>(put);
        }
    }
    return {};
}

Result<MappedFile> TemporaryFile::map() const
{
    return MappedFile::ofDescriptor(m_descriptor, m_size, "a temporary file");
}

} // namespace tunebench
