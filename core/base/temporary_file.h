#pragma once

#include "core/base/files.h"

namespace tunebench {

/// A file without a name in the cache folder, written once and then mapped; the system takes it back when nobody holds
/// it any more, however the program ends.
class TemporaryFile {
public:
    static Result<TemporaryFile> create();
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile();

    /// An error where the disk would be left with less than a gigabyte; `what` is what is written, for the message.
    Result<void> write(std::string_view bytes, const std::string& what);
    size_t size() const { return m_size; }

    /// What was written, which stays readable without this object.
    Result<MappedFile> map() const;

private:
    explicit TemporaryFile(int descriptor);
    Result<void> checkSpace(const std::string& what) const;

    int m_descriptor;
    size_t m_size = 0;
    size_t m_checked = 0; ///< the size at which free space was last looked at
};

} // namespace tunebench
