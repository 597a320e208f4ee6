#pragma once

#include "core/data/json_rows.h"

#include <span>
#include <stop_token>

namespace tunebench {

/// How far opening goes.
struct OpenLimits {
    size_t maxRows = SIZE_MAX; ///< look no further than this many rows of each file: for a preview
    std::stop_token stop;
};

/// The files of one dataset, whatever their kind, and their rows, numbered through from 0. Reading may be done from
/// several threads at once.
class RowSource {
public:
    static Result<RowSource> open(std::span<const std::string> paths, const OpenLimits& limits = {});

    size_t count() const { return m_count; }
    const std::string& pathOf(size_t index) const;

    /// Where the row begins in its file, from 1; in a Parquet file the number of the row.
    size_t lineOf(size_t index) const;

    /// The row as an object, or the reason why it is none, with line and column.
    tl::expected<nlohmann::ordered_json, std::string> read(size_t index) const;

    /// 16 hex digits that change when a byte of the files does.
    std::string fingerprint() const;

    /// The files, for messages: "a.json and 2 more".
    std::string names() const;

    /// What a person should know about how the files were read, a sentence each (a converted encoding, say).
    const std::vector<std::string>& notices() const { return m_notices; }

private:
    size_t fileIndex(size_t index) const;
    const RawRow& row(size_t index) const;

    std::vector<RowFile> m_files;
    std::vector<size_t> m_ends; ///< rows in all up to and including each file
    size_t m_count = 0;
    std::vector<std::string> m_notices;
};

} // namespace tunebench
