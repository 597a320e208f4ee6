#pragma once

#include "core/base/files.h"
#include "core/data/files/dataset_files.h"
#include "core/data/files/row_index.h"

#include <optional>
#include <stop_token>

namespace tunebench {

/// How far opening goes.
struct OpenLimits {
    size_t maxRows = SIZE_MAX; ///< look no further than this many rows: for a preview
    std::stop_token stop {};
};

/// One dataset file of any kind, unpacked and in UTF-8, with its rows found. What had to be unpacked or converted lies
/// in a temporary file, so memory holds the index of the rows alone.
class RowFile {
public:
    /// What a person should know about how the file was read is added to `notices`. An error when it cannot be read or
    /// is of no known kind.
    static Result<RowFile> open(const std::string& path, const OpenLimits& limits, std::vector<std::string>& notices);

    const std::string& path() const { return m_path; }
    FileKind kind() const { return m_kind; }
    size_t count() const { return m_rows.count(); }

    /// From 1; in a Parquet file the number of the row.
    size_t lineOf(size_t index) const { return m_rows.place(index).line; }
    ParsedRow read(size_t index) const;

    /// The pages of rows begin .. end no longer count as this process's memory.
    void release(size_t begin, size_t end) const;

    /// The file as it stands on disk.
    const MappedFile& original() const { return m_original; }

private:
    class Opening;
    using Parse = std::function<ParsedRow(const RawRow& row)>;

    RowFile(std::string path, FileKind kind, MappedFile original);
    const MappedFile& content() const { return m_converted ? *m_converted : m_original; }

    std::string m_path;
    FileKind m_kind;
    MappedFile m_original;
    std::optional<MappedFile> m_converted;
    RowIndex m_rows;
    Parse m_parse;
};

} // namespace tunebench
