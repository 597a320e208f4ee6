#pragma once

#include "core/data/files/row_file.h"

#include <span>

namespace tunebench {

/// The files of one dataset, whatever their kind, and their rows, numbered through from 0. Reading may be done from
/// several threads at once.
class RowSource {
public:
    /// Opens files, and those that a folder holds (findDatasetFiles).
    static Result<RowSource> open(std::span<const std::string> paths, const OpenLimits& limits = {});

    size_t count() const { return m_count; }
    const std::string& pathOf(size_t index) const;

    /// Where the row begins in its file, from 1; in a Parquet file the number of the row.
    size_t lineOf(size_t index) const;

    /// The row as an object, or the reason why it is none, with line and column.
    ParsedRow read(size_t index) const;

    /// Says that rows begin .. end are not needed for now, so that their bytes leave this process's memory.
    void release(size_t begin, size_t end) const;

    /// 16 hex digits that change when a byte or the kind of the files does; of no meaning once it was stopped.
    std::string fingerprint(const std::stop_token& stop = {}) const;

    /// The files, for messages: "a.json and 2 more".
    std::string names() const;

    /// What a person should know about how the files were read, a sentence each (a converted encoding, say).
    const std::vector<std::string>& notices() const { return m_notices; }

private:
    /// A row in its file.
    struct Place {
        const RowFile& file;
        size_t index;
    };
    Place placeOf(size_t index) const;

    std::vector<RowFile> m_files;
    std::vector<size_t> m_ends; ///< rows in all up to and including each file
    size_t m_count = 0;
    std::vector<std::string> m_notices;
};

} // namespace tunebench
