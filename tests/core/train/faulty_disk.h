#pragma once

#include <filesystem>
#include <string>

namespace tunebench::test {

/// Makes the operating system's calls that change files under a folder fail, from one of them on: this program's
/// write, open, mkdir, rename and the like stand in front of the C library's. Needs neither root nor a disk of its own.
class FaultyDisk {
public:
    /// From the `failing`-th call under the folder on (from 0), each fails with `error` (an errno). With ENOSPC a file
    /// that is removed makes room for as many bytes again; a failing write keeps half of its bytes, as a disk that
    /// becomes full does.
    FaultyDisk(const std::filesystem::path& folder, int error, int failing);
    ~FaultyDisk();
    FaultyDisk(const FaultyDisk&) = delete;
    FaultyDisk& operator=(const FaultyDisk&) = delete;

    /// How many calls there were.
    static int calls();
};

} // namespace tunebench::test
