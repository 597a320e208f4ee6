#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tunebench {

/// The whole content of a file. Errors name the file and the system's reason (missing, no permission, a folder).
Result<std::string> readFile(const std::filesystem::path& path);

/// Replaces a file whole: written beside it, synced, renamed. On failure (a full disk, say) the old content stays
/// and no half-written file is left.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

/// What names beside a file or folder that is being written end with, for mkstemp and mkdtemp.
inline constexpr std::string_view temporarySuffix = ".part-XXXXXX";

/// Removes from a folder what writers that were killed have left there. Only for a folder in which nobody writes now.
void removeLeftovers(const std::filesystem::path& folder);

/// A file that appears whole at commit() or not at all; for content that is too large to hold in memory at once.
class AtomicFile {
public:
    static Result<AtomicFile> create(const std::filesystem::path& path);
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;
    ~AtomicFile(); ///< removes the temporary file unless commit() has succeeded

    Result<void> write(std::span<const std::byte> bytes);
    Result<void> write(std::string_view bytes);
    Result<void> commit();

private:
    struct State;
    explicit AtomicFile(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

/// A file mapped read-only into memory; the bytes stay valid as long as the object (or what it was moved to) lives.
class MappedFile {
public:
    static Result<MappedFile> open(const std::filesystem::path& path);

    /// `size` bytes of an open file, which may be closed afterwards; `name` is for messages.
    static Result<MappedFile> ofDescriptor(int descriptor, size_t size, const std::filesystem::path& name);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return m_bytes; }
    std::string_view text() const;

    /// Says that bytes begin .. end are not needed for now: their pages no longer count as this process's memory. They
    /// stay readable, from the system's cache or the file.
    void release(size_t begin, size_t end) const;

private:
    explicit MappedFile(std::span<const std::byte> bytes);
    std::span<const std::byte> m_bytes;
};

/// The same for bytes of any MappedFile (and of nothing else: other memory would lose what it holds).
void releaseMapped(std::span<const std::byte> bytes);

/// `$XDG_DATA_HOME/tunebench` (default `~/.local/share/tunebench`): runs and the stored device measurement.
std::filesystem::path dataDirectory();

/// `$XDG_CACHE_HOME/tunebench` (default `~/.cache/tunebench`): what the set-up fetched, and what can be made again.
std::filesystem::path cacheDirectory();

} // namespace tunebench
