#include "core/base/files.h"

#include "core/base/system_reason.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tunebench {
namespace {

tl::unexpected<Error> cannot(std::string_view verb, const std::filesystem::path& path, Fault fault)
{
    const std::string reason = systemReason(errno);
    return failure("Cannot " + std::string(verb) + " " + path.string() + ": " + reason + ".", fault);
}

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    Descriptor(Descriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    int get() const { return m_fd; }

private:
    int m_fd;
};

struct OpenedFile {
    Descriptor descriptor;
    size_t size = 0; ///< bytes
};

/// Opens a regular file; a folder, a pipe or a device is refused at once, and none is waited for.
Result<OpenedFile> openForReading(const std::filesystem::path& path)
{
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status { };
    if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0)
        return cannot("read", path, Fault::input);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return cannot("read", path, Fault::input);
    }
    if (!S_ISREG(status.st_mode))
        return failure("Cannot read " + path.string() + ": it is not a regular file.");
    return OpenedFile { std::move(fd), static_cast<size_t>(status.st_size) };
}

/// Makes a rename in the folder durable; a file system that cannot sync folders loses nothing but that guarantee.
void syncFolder(const std::filesystem::path& folder)
{
    const Descriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() >= 0)
        ::fsync(fd.get());
}

std::filesystem::path folderFromEnvironment(const char* variable, const char* fallback)
{
    if (const char* value = std::getenv(variable); value && *value)
        return std::filesystem::path(value) / "tunebench";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : "/tmp") / fallback / "tunebench";
}

} // namespace

Result<std::string> readFile(const std::filesystem::path& path)
{
    const auto file = openForReading(path);
    if (!file)
        return tl::unexpected(file.error());
    std::string content;
    content.reserve(file->size);
    char buffer[1 << 16];
    for (;;) {
        const ssize_t got = ::read(file->descriptor.get(), buffer, sizeof buffer);
        if (got == 0)
            return content;
        if (got < 0 && errno != EINTR)
            return cannot("read", path, Fault::input);
        if (got > 0)
            content.append(buffer, static_cast<size_t>(got));
    }
}

struct AtomicFile::State {
    std::filesystem::path target;
    std::filesystem::path temporary;
    Descriptor fd;
    bool committed = false;
};

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path)
{
    std::string name = path.string() + std::string(temporarySuffix);
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0)
        return cannot("write", path, Fault::work);
    ::fchmod(fd, 0644);
    return AtomicFile(std::make_unique<State>(State { path, name, Descriptor(fd) }));
}

AtomicFile::AtomicFile(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

AtomicFile::~AtomicFile()
{
    if (m_state && !m_state->committed)
        ::unlink(m_state->temporary.c_str());
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t put = ::write(m_state->fd.get(), bytes.data(), bytes.size());
        if (put < 0 && errno != EINTR)
            return cannot("write", m_state->target, Fault::work);
        if (put > 0)
            bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return {};
}

Result<void> AtomicFile::write(std::string_view bytes)
{
    return write(std::as_bytes(std::span(bytes)));
}

Result<void> AtomicFile::commit()
{
    if (::fsync(m_state->fd.get()) != 0 || ::rename(m_state->temporary.c_str(), m_state->target.c_str()) != 0)
        return cannot("write", m_state->target, Fault::work);
    m_state->committed = true;
    syncFolder(m_state->target.parent_path());
    return {};
}

Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes)
{
    auto file = AtomicFile::create(path);
    if (!file)
        return tl::unexpected(file.error());
    if (auto written = file->write(bytes); !written)
        return written;
    return file->commit();
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    const auto file = openForReading(path);
    if (!file)
        return tl::unexpected(file.error());
    return ofDescriptor(file->descriptor.get(), file->size, path);
}

Result<MappedFile> MappedFile::ofDescriptor(int descriptor, size_t size, const std::filesystem::path& name)
{
    if (size == 0)
        return MappedFile({});
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED)
        return cannot("read", name, Fault::work);
    return MappedFile({ static_cast<const std::byte*>(address), size });
}

void MappedFile::release(size_t begin, size_t end) const
{
    end = std::min(end, m_bytes.size());
    if (begin < end)
        releaseMapped(m_bytes.subspan(begin, end - begin));
}

void releaseMapped(std::span<const std::byte> bytes)
{
    static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    // Pages that are shared with what comes before or behind stay.
    const uintptr_t first = (begin + page - 1) / page * page - begin;
    const uintptr_t last = (begin + bytes.size()) / page * page - begin;
    if (first < last && last <= bytes.size())
        ::madvise(const_cast<std::byte*>(bytes.data()) + first, last - first, MADV_DONTNEED);
}

MappedFile::MappedFile(std::span<const std::byte> bytes)
    : m_bytes(bytes)
{
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_bytes(std::exchange(other.m_bytes, {}))
{
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty())
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

std::string_view MappedFile::text() const
{
    return { reinterpret_cast<const char*>(m_bytes.data()), m_bytes.size() };
}

void removeLeftovers(const std::filesystem::path& folder)
{
    const std::string_view marker = temporarySuffix.substr(0, temporarySuffix.find('X'));
    std::vector<std::filesystem::path> leftovers;
    std::error_code problem;
    for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        const size_t at = name.rfind(marker);
        if (at != std::string::npos && name.size() - at == temporarySuffix.size())
            leftovers.push_back(entry->path());
    }
    for (const auto& path : leftovers)
        std::filesystem::remove_all(path, problem);
}

std::filesystem::path dataDirectory()
{
    return folderFromEnvironment("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path cacheDirectory()
{
    return folderFromEnvironment("XDG_CACHE_HOME", ".cache");
}

} // namespace tunebench
