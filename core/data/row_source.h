#pragma once

#include "core/config/run_config.h"
#include "core/data/json_rows.h"

#include <span>

namespace tunebench {

/// The files of one dataset and their rows, numbered through from 0.
class RowSource {
public:
    static Result<RowSource> open(std::span<const std::string> paths);

    size_t count() const { return m_count; }
    const RawRow& row(size_t index) const;
    const std::string& pathOf(size_t index) const;

    /// The format that the options give, or that most of the first rows show. An error, with the columns that were
    /// found and those that formats need, where none does.
    Result<DatasetFormat> format(const RunConfig& config) const;

    /// 16 hex digits that change when a byte of the files does.
    std::string fingerprint() const;

    /// The files, for messages: "a.json and 2 more".
    std::string names() const;

private:
    size_t fileIndex(size_t index) const;

    std::vector<RowFile> m_files;
    std::vector<size_t> m_ends; ///< rows in all up to and including each file
    size_t m_count = 0;
};

} // namespace tunebench
