#include "tests/core/train/faulty_disk.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <dlfcn.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace {

/// What is to fail; one at a time, read by whatever thread writes.
struct Fault {
    std::string folder; ///< empty: nothing fails
    int error = 0;
    int failing = 0;
    std::atomic<int> calls = 0;
    std::atomic<int64_t> room = 0; ///< bytes that may still be written on a full disk
};
Fault fault; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

bool isUnder(std::string_view path)
{
    return !fault.folder.empty() && path.starts_with(fault.folder);
}

bool isUnder(int descriptor)
{
    if (fault.folder.empty())
        return false;
    std::array<char, 4096> path {};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
    return length > 0 && isUnder(std::string_view(path.data(), static_cast<size_t>(length)));
}

/// Counts a call; true when it has to fail, with errno set.
bool fails(int64_t bytes = 0)
{
    if (fault.calls++ < fault.failing)
        return false;
    if (fault.error == ENOSPC && fault.room > bytes) {
        fault.room -= bytes;
        return false;
    }
    errno = fault.error;
    return true;
}

template <class Function> Function* next(Function*, const char* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Removing makes room on a full disk, and is no more possible than writing on another.
bool removalFails(const char* path)
{
    if (!isUnder(path))
        return false;
    if (fault.error != ENOSPC)
        return fails();
    struct stat status { };
    if (fault.calls > fault.failing && ::stat(path, &status) == 0 && S_ISREG(status.st_mode))
        fault.room += status.st_size;
    return false;
}

} // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t count)
{
    static auto* const real = next(&::write, "write");
    if (!isUnder(file) || !fails(static_cast<int64_t>(count)))
        return real(file, bytes, count);
    const int error = errno;
    const ssize_t put
        = error == ENOSPC && count > 1 && fault.calls == fault.failing + 1 ? real(file, bytes, count / 2) : -1;
    errno = error;
    return put;
}

int open(const char* path, int flags, ...)
{
    static auto* const real = next(&::open, "open");
    va_list rest;
    va_start(rest, flags);
    const auto mode = static_cast<mode_t>((flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0);
    va_end(rest);
    const bool changes = (flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0;
    return changes && isUnder(path) && fails() ? -1 : real(path, flags, mode);
}

int mkostemp(char* path, int flags)
{
    static auto* const real = next(&::mkostemp, "mkostemp");
    return isUnder(path) && fails() ? -1 : real(path, flags);
}

char* mkdtemp(char* path) noexcept
{
    static auto* const real = next(&::mkdtemp, "mkdtemp");
    return isUnder(path) && fails() ? nullptr : real(path);
}

int mkdir(const char* path, mode_t mode) noexcept
{
    static auto* const real = next(&::mkdir, "mkdir");
    return isUnder(path) && fails() ? -1 : real(path, mode);
}

/// Never waits for the disk: nobody pulls a plug here.
int fsync(int file)
{
    return isUnder(file) && fails() ? -1 : 0;
}

int rename(const char* from, const char* to) noexcept
{
    static auto* const real = next(&::rename, "rename");
    return isUnder(to) && fails() ? -1 : real(from, to);
}

int renameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags) noexcept
{
    static auto* const real = next(&::renameat2, "renameat2");
    return isUnder(to) && fails() ? -1 : real(fromFolder, from, toFolder, to, flags);
}

int remove(const char* path) noexcept
{
    static auto* const real = next(&::remove, "remove");
    return removalFails(path) ? -1 : real(path);
}

int unlink(const char* path) noexcept
{
    static auto* const real = next(&::unlink, "unlink");
    return removalFails(path) ? -1 : real(path);
}

} // extern "C"

namespace tunebench::test {

FaultyDisk::FaultyDisk(const std::filesystem::path& folder, int error, int failing)
{
    fault.error = error;
    fault.failing = failing;
    fault.calls = 0;
    fault.room = 0;
    fault.folder = folder.string();
}

FaultyDisk::~FaultyDisk()
{
    fault.folder.clear();
}

int FaultyDisk::calls()
{
    return fault.calls;
}

} // namespace tunebench::test
