#pragma once

#include "core/base/files.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tunebench {

/// One row of a dataset file as it stands there, not parsed yet.
struct RawRow {
    std::string_view text; ///< into the mapped file
    size_t line = 0; ///< where it begins, from 1
    size_t column = 0; ///< where it begins in that line, in bytes from 1
    std::string_view problem; ///< why it has no end (the rest of the file is cut, say); empty for most rows
};

/// A .json or .jsonl file, mapped, and where its rows lie.
struct RowFile {
    std::string path;
    MappedFile content;
    std::vector<RawRow> rows;
};

/// Maps a file and finds its rows: the elements of a JSON list, objects one after another, or one object a line
/// (.jsonl, .ndjson). A byte order mark at the start of the file or of a line and blank lines are skipped. A damaged
/// row becomes a row with a problem and the rows after it are found again. An error when the file cannot be read or
/// is of another kind (a folder, UTF-16, a Git LFS pointer, another extension, an empty file).
Result<RowFile> openRowFile(const std::string& path);

/// The rows of a text as openRowFile finds them; `oneRowALine` for .jsonl.
std::vector<RawRow> splitRowsOfJson(std::string_view text, bool oneRowALine);

/// Parses a row: an object, or the reason why it is none, with line and column. Of equal keys the last wins. Bytes that
/// are not UTF-8, nesting deeper than 512 and objects of more than 4,096 keys are refused.
tl::expected<nlohmann::ordered_json, std::string> parseRow(const RawRow& row);

} // namespace tunebench
